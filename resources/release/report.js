"use strict";
(function () {
  // Texts come in pieces from Python and become nodes of text: nothing of the data is ever read as markup.
  const ON_A_PAGE = { gap: 10, "counter-gap": 5, "gap-subjective": 10 };
  const CLASSES = { pronoun: "pronoun", A: "a", B: "b", name: "name" };
  const TAGS = { pronoun: "P", A: "A", B: "B", name: "" };
  const FILTERS = ["split", "variant", "gender", "pattern", "label", "page", "answers"];

  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const selects = Object.fromEntries(["set", ...FILTERS].map((name) => [name, byId("by-" + name)]));
  const search = byId("by-text");
  const items = byId("items");
  let current = data.sets[0];
  let found = [];
  let page = 0;

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  // ---- what is shown

  function inPieces(text) {
    const box = make("p", "text");
    box.dir = "auto";
    for (const [kind, ...parts] of text.pieces) {
      const nodes = parts.map((part, n) => (n % 2 ? make("ins", part ? "" : "gone", part) : part));
      if (!kind) {
        box.append(...nodes);
        continue;
      }
      const mark = make("mark", CLASSES[kind], ...nodes);
      const isTrue = text.true.includes(kind);
      if (isTrue) mark.classList.add("true");
      if (TAGS[kind]) mark.append(make("sup", "", TAGS[kind] + (isTrue ? "\u00a0✓" : "")));
      box.append(mark);
    }
    return box;
  }

  function answersTo(text) {
    const list = make("ul", "chips answers");
    text.said.forEach((answer, n) => {
      if (!answer) return;
      const [label, right] = answer;
      const verdict = make("span", "unseen", right ? " right" : " wrong");
      list.append(make("li", right ? "right" : "wrong", data.resolvers[n] + ": " + label + (right ? " ✓" : " ✗"), verdict));
    });
    return list.children.length ? [list] : [];
  }

  function chips(words) {
    return make("ul", "chips", ...words.filter(Boolean).map((word) => make("li", "", word)));
  }

  const told = (text) => (text.true.length ? "true: " + text.true.join(" and ") : "true: " + text.label);

  function sourceOf(item) {
    if (!/^https?:\/\//.test(item.url)) return [];
    const link = make("a", "", "source");
    link.href = item.url;
    link.rel = "noopener noreferrer";
    return [" ", link];
  }

  function exampleOf(item) {
    const [text] = item.texts;
    const facts = [item.split, text.variant, text.gender, item.pattern, told(text), item.page, ...item.remarks];
    const heading = make("h3", "", item.id, ...sourceOf(item));
    return make("article", "item", heading, chips(facts), inPieces(text), ...answersTo(text));
  }

  function quadrupleOf(item) {
    const four = item.texts.map((text) =>
      make("div", "", make("h4", "", text.variant), chips([text.gender, told(text)]), inPieces(text), ...answersTo(text)));
    const heading = make("h3", "", item.id, ...sourceOf(item));
    return make("article", "item", heading, chips([item.pattern, ...item.remarks]), make("div", "four", ...four));
  }

  // ---- what is asked for

  const valuesOf = {
    split: (item) => [item.split],
    pattern: (item) => [item.pattern],
    page: (item) => [item.page],
    variant: (item) => item.texts.map((text) => text.variant),
    gender: (item) => item.texts.map((text) => text.gender),
    label: (item) => item.texts.map((text) => text.label),
  };

  function fill(select, options, all) {
    select.replaceChildren(...[["", all], ...options].filter(Boolean).map(([value, name]) => new Option(name, value)));
  }

  function answerOptions() {
    const asked = data.resolvers.map((name, n) => [name, n])
      .filter(([, n]) => current.items.some((item) => item.texts.some((text) => text.said[n])));
    if (!asked.length) return [];
    const each = asked.map(([name, n]) => ["wrong " + n, name + " is wrong"]);
    const four = current.kind === "counter-gap"
      ? asked.map(([name, n]) => ["mixed " + n, name + " is inconsistent"]) : [];
    return [["all wrong", "all are wrong"], ["all right", "all are right"], ...each, ...four];
  }

  function offer() {
    for (const name of FILTERS) {
      const options = name === "answers" ? answerOptions()
        : [...new Set(current.items.flatMap(valuesOf[name]))].filter(Boolean).map((value) => [value, value]);
      fill(selects[name], options, "any");
      // A choice of one is none.
      selects[name].closest("label").hidden = options.length < 2;
    }
    for (const it of document.querySelectorAll(".only-four")) it.hidden = current.kind !== "counter-gap";
    for (const it of document.querySelectorAll(".only-changed")) it.hidden = current.kind === "gap";
  }

  const right = (text, n) => text.said[n] && text.said[n][1];
  const wrong = (text, n) => text.said[n] && !text.said[n][1];

  function answered(text, item, asked) {
    if (!asked) return true;
    const said = text.said.filter(Boolean);
    if (asked === "all wrong") return said.length > 0 && said.every((it) => !it[1]);
    if (asked === "all right") return said.length > 0 && said.every((it) => it[1]);
    const [which, number] = asked.split(" ");
    if (which === "wrong") return wrong(text, Number(number));
    return item.texts.some((it) => right(it, Number(number))) && item.texts.some((it) => wrong(it, Number(number)));
  }

  const folded = new Map();
  function lettersOf(text) {
    if (!folded.has(text)) {
      const letters = text.pieces.map(([, ...parts]) => parts.join("")).join("");
      folded.set(text, (letters + "\n" + text.id).toLowerCase());
    }
    return folded.get(text);
  }

  // An item is shown where one of its texts is all that is asked for.
  function matches(item) {
    const wanted = Object.fromEntries(FILTERS.map((name) => [name, selects[name].value]));
    const words = search.value.trim().toLowerCase();
    const fits = (value, name) => !wanted[name] || wanted[name] === value;
    return fits(item.split, "split") && fits(item.pattern, "pattern") && fits(item.page, "page") &&
      item.texts.some((text) => fits(text.variant, "variant") && fits(text.gender, "gender") &&
        fits(text.label, "label") && answered(text, item, wanted.answers) && lettersOf(text).includes(words));
  }

  const number = (n) => n.toLocaleString("en");

  function show() {
    const size = ON_A_PAGE[current.kind];
    const last = Math.max(0, Math.ceil(found.length / size) - 1);
    page = Math.min(Math.max(page, 0), last);
    const shown = found.slice(page * size, (page + 1) * size);
    items.replaceChildren(...shown.map(current.kind === "counter-gap" ? quadrupleOf : exampleOf));
    const part = current.items.length < current.total;
    const held = part ? number(current.items.length) + " of " + number(current.total) : number(current.total);
    const asked = found.length < current.items.length ? "; " + number(found.length) + " of them as asked for" : "";
    byId("count").textContent = held + " " + current.unit + (part ? " are in this page" : "") + asked;
    byId("place").textContent = found.length
      ? number(page * size + 1) + "–" + number(page * size + shown.length) + " of " + number(found.length) : "none";
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === last;
  }

  function filter() {
    found = current.items.filter(matches);
    page = 0;
    show();
  }

  function choose() {
    current = data.sets[Number(selects.set.value)];
    offer();
    filter();
  }

  function turn(step) {
    page += step;
    show();
    byId("count").scrollIntoView({ block: "start" });
  }

  selects.set.replaceChildren(...data.sets.map((it, n) => new Option(it.name, String(n))));
  selects.set.closest("label").hidden = data.sets.length < 2;
  selects.set.addEventListener("change", choose);
  for (const name of FILTERS) selects[name].addEventListener("change", filter);
  search.addEventListener("input", filter);
  byId("reset").addEventListener("click", () => {
    for (const name of FILTERS) selects[name].value = "";
    search.value = "";
    filter();
  });
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  choose();
  byId("browser").hidden = false;
})();
