"use strict";
(() => {
  const CHUNK = 200;
  const data = JSON.parse(document.getElementById("data").textContent);
  const sources = document.getElementsByClassName("detail");
  const MATCH = data.outcomes.indexOf("match");
  const list = document.getElementById("list");
  const more = document.getElementById("more");
  const form = document.getElementById("filter");
  const text = document.getElementById("text");
  const choices = {};
  const details = [];
  const haystacks = [];

  // A row: candidate, journal, mode, number, tool, outcome, note, characters, fields; and which details are its own.
  let unequal = 0;
  const rows = data.rows.map(([candidate, journal, mode, number, tool, outcome, note, characters, fields]) => ({
    candidate, journal, mode, number, tool, outcome, note, characters, fields, detail: outcome === MATCH ? -1 : unequal++, item: null,
  }));
  let shown = [];
  let rendered = 0;

  // Everything that the run says becomes text, never markup.
  function make(name, options = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(options)) {
      if (key === "class") element.className = value;
      else element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  }

  function isolated(value) {
    return make("bdi", {}, value);
  }

  function detail(index) {
    details[index] ??= JSON.parse(sources[index].textContent);
    return details[index];
  }

  function counted(number, one, many) {
    return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
  }

  function title(row) {
    return [
      make("span", { class: "where" }, isolated(data.journals[row.journal]), ` step ${row.number}`),
      data.candidates[row.candidate] ? isolated(data.candidates[row.candidate]) : null,
      isolated(data.tools[row.tool]),
      make("span", {}, data.modes[row.mode]),
      make("span", { class: `outcome ${data.outcomes[row.outcome]}` }, data.outcomes[row.outcome].replaceAll("-", " ")),
      row.fields.length ? isolated([...new Set(row.fields)].map((field) => data.fields[field]).join(", ")) : null,
      row.note ? make("span", { class: "note beside" }, isolated(row.note)) : null,
    ];
  }

  function item(row) {
    if (row.detail < 0) {
      const compared = make("span", { class: "beside" }, counted(row.characters, "character", "characters"));
      return make("li", {}, make("div", { class: "row head" }, ...title(row), compared));
    }
    const body = `step-${row.detail}`;
    const button = make("button", { type: "button", class: "head", "aria-expanded": "false", "aria-controls": body }, ...title(row));
    const panel = make("div", { class: "body", id: body, hidden: "" });
    button.addEventListener("click", () => toggle(row, button, panel));
    return make("li", { class: "step" }, make("h3", {}, button), panel);
  }

  function toggle(row, button, panel) {
    const open = panel.hidden;
    if (open && !panel.hasChildNodes()) fill(panel, row);
    panel.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  }

  function fill(panel, row) {
    const told = detail(row.detail);
    panel.append(make("p", { class: "beside" }, isolated(told.at)));
    if (told.inherited) panel.append(make("p", { class: "inherited" }, told.inherited));
    const own = make("div");
    panel.append(own);
    own.append(...contents(told.says, told.differences, told.total, told.shown, told.sealed && !told.opened));
    if (told.opened) {
      const open = make("button", { type: "button" }, "Open what is sealed");
      open.addEventListener("click", () => {
        own.replaceChildren(...contents(told.says, told.opened.differences, told.total, told.opened.shown, false));
        open.remove();
        own.querySelector("mark, pre")?.focus();
      });
      panel.insertBefore(open, own);
    }
    const rules = data.rules[data.tools[row.tool]] ?? [];
    if (rules.length) {
      const links = rules.flatMap((rule, at) => [at ? ", " : "", make("a", { href: `#rule-${rule}` }, rule)]);
      panel.append(make("p", { class: "rule-links" }, "Rules of this tool: ", ...links));
    }
  }

  function contents(says, differences, total, lines, sealed) {
    const found = [];
    if (says) found.push(make("pre", { tabindex: "0", "aria-label": "What it said" }, says));
    found.push(...differences.map((one, at) => difference(one, at, total, sealed)));
    if (total > differences.length) found.push(make("p", { class: "beside" }, `and ${counted(total - differences.length, "more difference", "more differences")}`));
    if (lines) {
      const terminal = make("details", {}, make("summary", {}, "As a terminal shows it"), make("pre", { class: "lines", tabindex: "0" }, lines));
      terminal.open = !differences.some((one) => one.at);
      found.push(terminal);
    }
    return found;
  }

  const SAYS = {
    changed: "differs",
    missing: "recorded, missing from the candidate",
    extra: "in the candidate, not recorded",
    type: "another type",
  };

  function difference(one, at, total, sealed) {
    const heading = make("h4", {}, make("code", {}, isolated(one.field)), `: ${SAYS[one.kind]} `, make("span", { class: "beside" }, `(${at + 1} of ${total.toLocaleString("en")})`));
    const facts = make("dl", { class: "facts" });
    const fact = (name, value) => facts.append(make("dt", {}, name), make("dd", {}, value));
    if (one.at) {
      fact("at", one.at);
      fact("recorded", one.points[0]);
      fact("candidate", one.points[1]);
    }
    for (const cause of one.causes) fact("cause", cause);
    const called = make("p", { class: "called", "aria-live": "polite" }, one.at && !(one.sealed && sealed) ? "point at a character, or go to the marked one and on with ← →: this line says what it is" : "");
    const sides = make("div", { class: "sides" }, side("recorded", one.sides[0], one, sealed), side("candidate", one.sides[1], one, sealed));
    inspect(sides, called);
    return make("section", { class: "difference" }, heading, facts, sides, called);
  }

  function side(name, told, one, sealed) {
    const caption = make("figcaption", {}, make("b", {}, name));
    const figure = make("figure", { class: name }, caption);
    if (told === null) {
      figure.append(make("pre", {}, make("span", { class: "nothing" }, "nothing stands there")));
      return figure;
    }
    caption.append(` · ${told.type} · ${counted(told.length, "character", "characters")}`);
    const pre = make("pre", { tabindex: "0", role: "region", "aria-label": `${name}, ${one.field}` });
    if (one.sealed && sealed) pre.append(make("span", { class: "nothing" }, "sealed; run with --reveal to have it in a report"));
    else if (one.sealed && !told.pieces.length && told.length) pre.append(make("span", { class: "nothing" }, "sealed"));
    else write(pre, told);
    figure.append(pre);
    return figure;
  }

  function write(pre, told) {
    if (told.from) pre.append(make("span", { class: "nothing" }, `[${told.from.toLocaleString("en")} before] `));
    told.pieces.forEach((piece, at) => {
      if (typeof piece === "string") {
        pre.append(piece);
        return;
      }
      const [drawn, name] = piece;
      const called = data.names[name];
      const plain = [...drawn].length === 1 && called.startsWith(hex(drawn));
      const word = /^[A-Z0-9]{2,}$/.test(drawn);
      const options = { class: plain ? "" : word ? "drawn word" : "drawn", title: called, tabindex: "-1" };
      if (at === told.mark) pre.append(make("mark", { ...options, tabindex: "0", "aria-label": `here: ${called}` }, drawn));
      else pre.append(make("span", options, drawn));
    });
    if (told.mark === told.pieces.length) pre.append(make("mark", { title: "end of text", tabindex: "0", "aria-label": "here: end of text" }, "⟨end⟩"));
    else if (!told.pieces.length) pre.append(make("span", { class: "nothing" }, "empty"));
    if (told.left) pre.append(make("span", { class: "nothing" }, ` [${told.left.toLocaleString("en")} more]`));
  }

  function hex(character) {
    return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")} `;
  }

  // Every character that stands alone says what it is: under the pointer, and under the focus, moved with the arrow keys.
  function inspect(sides, called) {
    const say = (event) => {
      const name = event.target.closest?.("[title]")?.title;
      if (name) called.textContent = name;
    };
    sides.addEventListener("pointerover", say);
    sides.addEventListener("focusin", say);
    sides.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      let to = event.target[step];
      while (to && !to.title) to = to[step];
      if (event.target.title && to) {
        to.focus();
        event.preventDefault();
      }
    });
    requestAnimationFrame(() => {
      for (const found of sides.querySelectorAll("mark")) {
        const pre = found.closest("pre");
        pre.scrollTop = found.offsetTop - pre.offsetTop - pre.clientHeight / 2;
      }
    });
  }

  function haystack(row) {
    const index = row.detail;
    const own = [data.candidates[row.candidate], data.journals[row.journal], row.number, data.tools[row.tool], data.modes[row.mode], data.outcomes[row.outcome], row.note];
    if (index < 0) return own.join(" ").toLowerCase();
    if (haystacks[index] === undefined) {
      const told = detail(index);
      haystacks[index] = [...own, told.says, told.shown, told.opened?.shown ?? "", ...told.differences.map((one) => one.field)].join("\n").toLowerCase();
    }
    return haystacks[index];
  }

  function wanted() {
    const chosen = Object.entries(choices).filter(([, select]) => select.value !== "");
    const words = text.value.trim().toLowerCase();
    return rows.filter((row) => {
      for (const [name, select] of chosen) {
        if (select.value === "unequal") {
          if (row.outcome === MATCH) return false;
        } else if (name === "field") {
          if (!row.fields.includes(Number(select.value))) return false;
        } else if (row[name] !== Number(select.value)) return false;
      }
      return !words || haystack(row).includes(words);
    });
  }

  function filter() {
    shown = wanted();
    rendered = 0;
    list.replaceChildren();
    render(CHUNK);
    const different = shown.filter((row) => row.detail >= 0).length;
    document.getElementById("status").textContent =
      `${counted(shown.length, "outcome", "outcomes")} of ${rows.length.toLocaleString("en")} shown, ${different.toLocaleString("en")} of them no match`;
  }

  function render(count) {
    const end = Math.min(shown.length, rendered + count);
    const made = [];
    for (; rendered < end; rendered++) {
      shown[rendered].item ??= item(shown[rendered]);
      made.push(shown[rendered].item);
    }
    list.append(...made);
    more.hidden = rendered >= shown.length;
    more.textContent = `Show more steps (${(shown.length - rendered).toLocaleString("en")} left)`;
  }

  function jump(step) {
    const here = document.activeElement?.closest?.("#list > li");
    let at = here ? shown.findIndex((row) => row.item === here) : step > 0 ? -1 : shown.length;
    do at += step;
    while (at >= 0 && at < shown.length && shown[at].detail < 0);
    if (at < 0 || at >= shown.length) {
      document.getElementById("status").textContent = step > 0 ? "no difference after this one" : "no difference before this one";
      return;
    }
    if (at >= rendered) render(at + 1 - rendered + CHUNK);
    const button = shown[at].item.querySelector("button");
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "start" });
  }

  function offer(name, labels, all, extra = []) {
    const select = document.getElementById(name);
    choices[name] = select;
    select.append(make("option", { value: "" }, all));
    for (const [value, label] of extra) select.append(make("option", { value }, label));
    labels.forEach((label, value) => select.append(make("option", { value: String(value) }, label || "(other)")));
    select.addEventListener("change", filter);
  }

  offer("outcome", data.outcomes.map((one) => one.replaceAll("-", " ")), "all", [["unequal", "no match"]]);
  offer("candidate", data.candidates, "all");
  document.getElementById("of-candidate").hidden = data.candidates.length < 2;
  offer("journal", data.journals, "all");
  offer("mode", data.modes, "both");
  offer("tool", data.tools, "all");
  offer("field", data.fields, "all");
  if (unequal) choices.outcome.value = "unequal";

  let waiting = 0;
  text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    form.querySelectorAll("select").forEach((select) => { select.value = ""; });
    text.value = "";
    filter();
  });
  more.addEventListener("click", () => {
    const first = rendered;
    render(CHUNK);
    shown[first]?.item.querySelector("button")?.focus();
  });
  document.getElementById("next").addEventListener("click", () => jump(1));
  document.getElementById("previous").addEventListener("click", () => jump(-1));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, select, textarea")) {
      if (event.key !== "Escape") return;
      event.target.blur();
      event.preventDefault();
      return;
    }
    if (event.key === "/") text.focus();
    else if (event.key === "j" || event.key === "n") jump(1);
    else if (event.key === "k" || event.key === "p") jump(-1);
    else return;
    event.preventDefault();
  });
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && !more.hidden) render(CHUNK);
  }, { rootMargin: "600px" }).observe(more);

  if (data.leftOut) {
    const leftOut = document.getElementById("left-out");
    leftOut.textContent = `${counted(data.leftOut, "more step", "more steps")} that match are counted above and not listed`;
    leftOut.hidden = false;
  }
  form.hidden = false;
  document.getElementById("bar").hidden = false;
  filter();
})();
