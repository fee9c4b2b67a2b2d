"use strict";
// Filters. Without this script, the page is the whole list.
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  if (form === null || shown === null) return;
  const field = (name) => form.elements.namedItem(name);
  let total = 0;
  // Children are taken one by one: a selector with two parts is slow in a large document.
  const groups = [...document.querySelectorAll("#findings .group")].map((element) => {
    const count = element.firstElementChild.lastElementChild;
    return {
      element,
      count,
      all: count.textContent,
      isOpen: element.open,
      objects: [...element.getElementsByTagName("article")].map((article) => ({
        element: article,
        data: article.dataset,
        owner: article.dataset.o.toLowerCase(),
        text: null,
        findings: [...article.getElementsByTagName("li")].map((item) => {
          total += 1;
          return { element: item, data: item.dataset, text: null };
        }),
      })),
    };
  });

  // Text is read when it is first searched, because reading it takes longer than all the rest.
  const text = (entry, element) => (entry.text ??= element.textContent.toLowerCase());
  const write = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const findings = (number) => `${number.toLocaleString("en")} ${number === 1 ? "finding" : "findings"}`;

  function apply() {
    const [namespace, policy, control, severity, result] = ["n", "p", "c", "s", "r"].map(
      (name) => field(name).value,
    );
    const owner = field("o").value.trim().toLowerCase();
    const words = field("t").value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (wanted, value) => wanted === "" || wanted === value;
    const filtered = [namespace, policy, control, severity, result, owner].some(Boolean) || words.length > 0;
    let visible = 0;
    for (const group of groups) {
      let inGroup = 0;
      for (const object of group.objects) {
        let inObject = 0;
        if (fits(namespace, object.data.n) && object.owner.includes(owner)) {
          for (const finding of object.findings) {
            const { p, c, s, r } = finding.data;
            const fit =
              fits(policy, p) &&
              fits(control, c) &&
              fits(severity, s) &&
              fits(result, r) &&
              (words.length === 0 || contains(object, finding, words));
            if (finding.element.hidden === fit) finding.element.hidden = !fit;
            if (fit) inObject += 1;
          }
        }
        if (object.element.hidden === inObject > 0) object.element.hidden = inObject === 0;
        inGroup += inObject;
      }
      if (group.element.hidden === inGroup > 0) group.element.hidden = inGroup === 0;
      write(group.count, filtered ? findings(inGroup) : group.all);
      visible += inGroup;
    }
    for (const { element, isOpen } of groups) {
      const open = filtered && visible <= 200 ? true : isOpen;
      if (!element.hidden && element.open !== open) element.open = open;
    }
    shown.textContent = filtered
      ? `${findings(visible)} of ${total.toLocaleString("en")} ${visible === 1 ? "matches" : "match"}`
      : `${findings(total)}`;
  }

  function contains(object, finding, words) {
    const heading = text(object, object.element.firstElementChild);
    const own = text(finding, finding.element);
    return words.every((word) => own.includes(word) || heading.includes(word));
  }

  let waiting = 0;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 60);
  };
  form.addEventListener("input", later);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  document.getElementById("map")?.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-n]") : null;
    if (link === null) return;
    form.reset();
    field("n").value = link.dataset.n;
    field("p").value = link.dataset.p;
    apply();
  });
  addEventListener("beforeprint", () => {
    for (const { element } of groups) element.open = true;
  });
  form.hidden = false;
  apply();
})();
