// The tab of requests: the request about all objects, and those about single objects.
import type { Matrix, ObjectId, ObjectRequest, RequestInput } from "playground";
import { button, byId, make } from "./dom";
import { describe, RequestForm } from "./request-form";
import { sameObject } from "./workspace";

const own = byId("own-requests");
const chosen = byId<HTMLSelectElement>("own-request-object");

/** The selection of an object offers at most this many. */
const MAX_OFFERED = 500;

interface OwnRequest {
  object: ObjectId;
  form: RequestForm;
  title: HTMLElement;
  element: HTMLElement;
}

export class Requests {
  private readonly shared: RequestForm;
  private own: OwnRequest[] = [];
  private objects: Matrix["objects"] = [];
  /** The name of an ordinary user, once the engine has said it. */
  private ordinary = "an ordinary user";

  constructor(private readonly onChange: () => void) {
    this.shared = new RequestForm("Request", () => this.changed());
    byId("shared-request").append(this.shared.element);
    byId("own-request-add").addEventListener("click", () => {
      const object = this.objects[Number(chosen.value)]?.id;
      if (chosen.value === "" || !object) return;
      this.setOwn(object, this.of(object));
      this.find(object)?.element.querySelector("select")?.focus();
    });
    this.showSummary();
  }

  get request(): RequestInput {
    return this.shared.value;
  }

  get requests(): ObjectRequest[] {
    return this.own.map(({ object, form }) => ({ object, request: form.value }));
  }

  write(request: RequestInput, requests: ObjectRequest[]): void {
    this.shared.value = request;
    this.own = [];
    own.replaceChildren();
    for (const { object, request } of requests) this.add(object, request);
    this.showSummary();
  }

  /** Returns the request about an object. */
  of(object: ObjectId): RequestInput {
    return this.find(object)?.form.value ?? this.shared.value;
  }

  /** Gives an object a request of its own. */
  setOwn(object: ObjectId, request: RequestInput): void {
    const present = this.find(object);
    if (present) present.form.value = request;
    else this.add(object, request);
    this.changed();
  }

  /** Removes the request about an object. */
  remove(object: ObjectId): void {
    const own = this.find(object);
    if (!own) return;
    this.own = this.own.filter((other) => other !== own);
    own.element.remove();
    this.changed();
  }

  /** Shows where requests come from and which objects can have one of their own. */
  show({ objects, unusedRequests }: Matrix): void {
    const reviews = objects.filter(({ request }) => request?.origin === "Review");
    const shared = objects.length === 0 || reviews.length < objects.length;
    byId("shared-request").hidden = !shared;
    byId("own-request-controls").hidden = this.own.length === 0 && (!shared || objects.length < 2);
    byId("given-requests").hidden = reviews.length === 0;
    const lines = reviews.slice(0, 20).map(({ title, request }) => {
      const groups = request?.groups.length ? ` (${request.groups.join(", ")})` : "";
      return make("li", {}, `${title}: ${request?.operation} by ${request?.username}${groups}`);
    });
    byId("given-requests-list").replaceChildren(...lines);
    const ofAll = objects.find(({ request }) => request?.origin === "Shared")?.request;
    if (ofAll && this.shared.value.user.kind === "ordinary") this.ordinary = ofAll.username;
    this.showSummary(reviews.length === objects.length ? reviews[0]?.request : undefined);
    const offered = objects.flatMap(({ title, id, problem, request }, index) =>
      problem || request?.origin === "Review" || index >= MAX_OFFERED ? [] : [{ title, id, index }],
    );
    byId("own-request-choice").hidden = offered.length === 0;
    const selected = this.objects[Number(chosen.value || -1)]?.id;
    this.objects = objects;
    chosen.replaceChildren(...offered.map(({ title, index }) => make("option", { value: String(index) }, title)));
    const again = offered.find(({ id }) => selected && sameObject(id, selected));
    if (again) chosen.value = String(again.index);
    for (const { object, title } of this.own) title.textContent = this.titleOf(object);
    for (const { object, title } of unusedRequests) {
      const own = this.find(object);
      if (own) own.title.textContent = `${title}, which is not among the objects`;
    }
  }

  private find(object: ObjectId): OwnRequest | undefined {
    return this.own.find((own) => sameObject(own.object, object));
  }

  private titleOf(object: ObjectId): string {
    return this.objects.find(({ id }) => sameObject(id, object))?.title ?? `${object.kind} ${object.name}`;
  }

  private add(object: ObjectId, request: RequestInput): void {
    const name = this.titleOf(object);
    const form = new RequestForm(`Request about ${name}`, () => this.changed());
    form.value = request;
    const title = make("strong", {}, name);
    const remove = button("Remove", () => this.remove(object));
    remove.ariaLabel = `Remove the request about ${name}`;
    const element = make(
      "div",
      { class: "own-request" },
      make("div", { class: "row" }, title, remove),
      form.element,
    );
    own.append(element);
    this.own.push({ object, form, title, element });
  }

  private changed(): void {
    this.showSummary();
    this.onChange();
  }

  private showSummary(given?: { operation: string; username: string }): void {
    const line = given ? `${given.operation} by ${given.username}` : describe(this.shared.value, this.ordinary);
    byId("request-line").textContent = line;
    byId("request-source").textContent = given ? "taken from the AdmissionReview" : "";
    const updates = [this.shared, ...this.own.map(({ form }) => form)].some(
      ({ value }) => value.operation === "UPDATE",
    );
    byId("old-objects-section").hidden = !updates || given !== undefined;
  }
}
