// The tab of requests: the request about all objects, and those about single objects.
import type { Matrix, ObjectRequest, RequestInput } from "playground";
import { button, byId, make } from "./dom";
import { describe, RequestForm } from "./request-form";

const own = byId("own-requests");
const chosen = byId<HTMLSelectElement>("own-request-object");

/** The selection of an object offers at most this many. */
const MAX_OFFERED = 500;

interface OwnRequest {
  object: number;
  form: RequestForm;
  title: HTMLElement;
  element: HTMLElement;
}

export class Requests {
  private readonly shared: RequestForm;
  private own: OwnRequest[] = [];
  private titles: string[] = [];
  /** The name of an ordinary user, once the engine has said it. */
  private ordinary = "an ordinary user";

  constructor(private readonly onChange: () => void) {
    this.shared = new RequestForm("Request", () => this.changed());
    byId("shared-request").append(this.shared.element);
    byId("own-request-add").addEventListener("click", () => {
      const object = Number(chosen.value);
      if (chosen.value === "") return;
      this.setOwn(object, this.of(object));
      this.own
        .find((own) => own.object === object)
        ?.element.querySelector("select")
        ?.focus();
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
  of(object: number): RequestInput {
    return this.own.find((own) => own.object === object)?.form.value ?? this.shared.value;
  }

  /** Gives an object a request of its own. */
  setOwn(object: number, request: RequestInput): void {
    const present = this.own.find((own) => own.object === object);
    if (present) present.form.value = request;
    else this.add(object, request);
    this.changed();
  }

  /** Shows where requests come from and which objects can have one of their own. */
  show({ objects }: Matrix): void {
    const reviews = objects.filter(({ request }) => request?.origin === "Review");
    const shared = objects.length === 0 || reviews.length < objects.length;
    byId("shared-request").hidden = !shared;
    byId("own-request-controls").hidden = !shared || objects.length < 2;
    byId("given-requests").hidden = reviews.length === 0;
    const lines = reviews.slice(0, 20).map(({ title, request }) => {
      const groups = request?.groups.length ? ` (${request.groups.join(", ")})` : "";
      return make("li", {}, `${title}: ${request?.operation} by ${request?.username}${groups}`);
    });
    byId("given-requests-list").replaceChildren(...lines);
    this.titles = objects.map(({ title }) => title);
    const ofAll = objects.find(({ request }) => request?.origin === "Shared")?.request;
    if (ofAll && this.shared.value.user.kind === "ordinary") this.ordinary = ofAll.username;
    this.showSummary(reviews.length === objects.length ? reviews[0]?.request : undefined);
    const offered = objects.flatMap(({ title, problem, request }, index) =>
      problem || request?.origin === "Review" || index >= MAX_OFFERED ? [] : [{ title, index }],
    );
    if (offered.length === 0) byId("own-request-controls").hidden = true;
    const selected = chosen.value;
    chosen.replaceChildren(...offered.map(({ title, index }) => make("option", { value: String(index) }, title)));
    if (offered.some(({ index }) => String(index) === selected)) chosen.value = selected;
    for (const { object, title } of this.own) title.textContent = this.titles[object] ?? `object ${object + 1}`;
  }

  private add(object: number, request: RequestInput): void {
    const name = this.titles[object] ?? `object ${object + 1}`;
    const form = new RequestForm(`Request about ${name}`, () => this.changed());
    form.value = request;
    const title = make("strong", {}, name);
    const remove = button("Remove", () => {
      this.own = this.own.filter((own) => own.object !== object);
      element.remove();
      this.changed();
    });
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
