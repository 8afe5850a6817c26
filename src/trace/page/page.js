"use strict";
/* Shows one run. The trace is JSON (docs/reports.md); all text goes into the page as text, never as markup. Rows are
 * made only for what is on the screen, so thousands of steps cost no more than a few. */
(function () {
  const trace = JSON.parse(document.getElementById("trace").textContent);
  const steps = trace.steps, total = steps.length;
  const ROW = 26, NUMBER = 60, PLACE = 170;  /* as in the style sheet */
  const LANE_MIN = 190, LANE_MAX = 330, GUTTER = 34;
  let LANE = LANE_MIN;                       /* as wide as there is room */
  const FOLD_AFTER = 3, FOLD_MIN = 5;        /* a run of one thread keeps that many at both ends, and hides that many at least */
  const HUES = [212, 28, 145, 280, 350, 185, 60, 320];
  const $ = (id) => document.getElementById(id);

  /* ---- small helpers */

  function element(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "text") e.textContent = value;
      else if (value !== null && value !== undefined) e.setAttribute(key, value);
    }
    e.append(...children);
    return e;
  }
  const count = (n, word, more) => n + " " + word + (n === 1 ? "" : more);
  const base = (path) => path.slice(path.lastIndexOf("/") + 1);
  const place = (site, full) => site && site.file ? (full ? site.file : base(site.file)) + (site.line ? ":" + site.line : "") : "";
  const threadName = (n) => "T" + n + (trace.threads[n].name ? " (" + trace.threads[n].name + ")" : "");
  const colour = (n) => "hsl(" + HUES[n % HUES.length] + " 60% " + (n % 16 < 8 ? 50 : 65) + "%)";

  /* The site and its callers, innermost first. */
  function stackOf(site, stack) {
    const sites = site ? [site] : [];
    for (let i = stack; i !== null && sites.length < 64; i = trace.frames[i].up) sites.push(trace.frames[i].site);
    return sites;
  }
  function stackList(site, stack) {
    const list = element("ol", { class: "stack" });
    for (const s of stackOf(site, stack))
      if (s) list.append(element("li", { text: (s.function || "?") + (place(s) ? " at " + place(s, true) : "") }));
    return list;
  }

  /* ---- lanes: threads that do something, wait, or have the bug */

  const taking = new Set(steps.map((s) => s.thread).concat(trace.waits.map((w) => w.thread), [trace.bug.thread]));
  const lanes = trace.threads.map((t) => t.number).filter((n) => taking.has(n));
  const laneOf = new Map(lanes.map((n, i) => [n, i]));

  /* ---- what each variable holds: its changes, in the order of steps */

  const history = trace.variables.map(() => []);
  for (const v of trace.values) history[v.variable].push(v);
  function valueAt(variable, step) {
    const h = history[variable];
    let low = 0, high = h.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (h[middle].step <= step) low = middle + 1; else high = middle;
    }
    return low ? h[low - 1] : null;
  }

  /* ---- conflicts, by both ends */

  const linksOf = new Map();
  for (const c of trace.conflicts)
    for (const end of [c.first, c.second]) {
      if (!linksOf.has(end)) linksOf.set(end, []);
      linksOf.get(end).push(c);
    }

  /* ---- rows: a step, a fold of several, or where a thread ends up. `at` is what the slider shows there. */

  const isSwitch = (i) => i > 0 && !steps[i].flush && !steps[i].plain && lastRunner[i - 1] !== null && lastRunner[i - 1] !== steps[i].thread;
  const lastRunner = [];
  for (let i = 0, runner = null; i < total; i++) {
    if (!steps[i].flush && !steps[i].plain) runner = steps[i].thread;
    lastRunner.push(runner);
  }
  const opened = new Set();                  /* folds that the user has opened, by their first step */
  let rows = [], rowOfStep = [];

  function rowsMake() {
    rows = [];
    rowOfStep = new Array(total + 1).fill(0);
    for (let i = 0; i < total;) {
      let end = i + 1;
      while (end < total && steps[end].thread === steps[i].thread) end++;
      const hidden = end - i - 2 * FOLD_AFTER;
      const folds = $("fold").checked && hidden >= FOLD_MIN && !opened.has(i + FOLD_AFTER);
      for (let k = i; k < end; k++) {
        if (folds && k === i + FOLD_AFTER) {
          for (let h = 0; h < hidden; h++) rowOfStep[k + h + 1] = rows.length;
          rows.push({ kind: "fold", first: k, count: hidden, at: k + 1, thread: steps[i].thread });
          k += hidden - 1;
          continue;
        }
        rowOfStep[k + 1] = rows.length;
        rows.push({ kind: "step", index: k, at: k + 1, thread: steps[k].thread });
      }
      i = end;
    }
    for (const w of trace.waits) rows.push({ kind: "wait", wait: w, at: total, thread: w.thread });
    if (!trace.waits.length) rows.push({ kind: "bug", at: total, thread: trace.bug.thread });
    $("rows").style.height = rows.length * ROW + "px";
    $("lanes").setAttribute("aria-rowcount", rows.length + 1);
  }

  function rowText(row) {
    if (row.kind === "wait") return "■ waits for " + row.wait.text;
    if (row.kind === "bug") return "✗ " + trace.bug.kind;
    const s = steps[row.index];
    return (s.flush ? "~ " : isSwitch(row.index) ? "▸ " : "") + s.text;
  }
  function rowSite(row) {
    return row.kind === "step" ? steps[row.index].site : row.kind === "wait" ? row.wait.site : row.kind === "bug" ? trace.bug.site : null;
  }

  function cellMake(row, index) {
    if (row.kind === "fold") {
      const fold = element("button", { class: "fold", type: "button", tabindex: "-1", text: "… " + row.count + " more steps" });
      fold.addEventListener("click", () => { opened.add(row.first); rowsMake(); select(current); });
      return fold;
    }
    const step = row.kind === "step" ? steps[row.index] : null;
    const b = element("button", {
      type: "button", tabindex: "-1", text: rowText(row), "data-row": index,
      class: "step" + (!step ? " alarm" : (step.plain ? " plain" : "") + (step.flush ? " flush" : "") + (linksOf.has(row.at) ? " conflict" : "")),
    });
    b.addEventListener("click", () => { select(row.at, false); $("lanes").focus({ preventScroll: true }); });
    return b;
  }

  function rowMake(index) {
    const row = rows[index];
    const isHere = row.kind === "step" ? row.at === current : row.kind === "fold" && current > row.first && current <= row.first + row.count;
    const e = element("div", {
      class: "row" + (isHere ? " current" : "") + (row.kind === "step" && isSwitch(row.index) ? " switch" : ""),
      role: "row", "aria-rowindex": index + 2, "aria-current": isHere ? "step" : null,
    });
    e.style.top = index * ROW + "px";
    e.append(element("div", { class: "number", role: "rowheader", text: row.kind === "step" ? row.at : "" }));
    for (const n of lanes) {
      const cell = element("div", { class: "cell", role: "gridcell" });
      cell.style.setProperty("--colour", colour(n));
      if (n === row.thread) cell.append(cellMake(row, index));
      e.append(cell);
    }
    e.append(element("div", { class: "place", role: "gridcell", text: place(rowSite(row)), title: place(rowSite(row), true) }));
    return e;
  }

  /* ---- drawing what is on the screen */

  function lanesFit() {
    const room = ($("lanes").clientWidth - NUMBER - PLACE) / lanes.length;
    LANE = Math.round(Math.max(LANE_MIN, Math.min(LANE_MAX, room)));
    document.documentElement.style.setProperty("--lane", LANE + "px");
  }

  let drawn = [];
  function draw() {
    const box = $("lanes"), from = Math.max(0, Math.floor(box.scrollTop / ROW) - 8);
    const to = Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 8);
    for (const e of drawn) e.remove();
    drawn = [];
    for (let i = from; i < to; i++) {
      const e = rowMake(i);
      drawn.push(e);
      $("rows").append(e);
    }
    arrowsDraw(from, to);
  }

  const leftOf = (thread) => NUMBER + laneOf.get(thread) * LANE;
  function arrow(fromRow, fromThread, toRow, toThread, kind) {
    const right = laneOf.get(toThread) > laneOf.get(fromThread);
    const x1 = leftOf(fromThread) + (right ? LANE - GUTTER : 6), x2 = leftOf(toThread) + (right ? 6 : LANE - GUTTER);
    const y1 = fromRow * ROW + ROW / 2, y2 = toRow * ROW + ROW / 2, bend = Math.abs(x2 - x1) / 2;
    const sign = right ? 1 : -1;
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", "link " + kind);
    path.setAttribute("d", "M" + x1 + " " + y1 + " C" + (x1 + sign * bend) + " " + y1 + " " + (x2 - sign * bend) + " " + y2 + " " + x2 + " " + y2);
    path.setAttribute("marker-end", kind === "wait" ? "url(#alarm-head)" : "url(#head)");
    $("paths").append(path);
  }

  /* Those of this step, and on demand all that begin or end on the screen. */
  function arrowsDraw(from, to) {
    $("paths").replaceChildren();
    const all = $("all-arrows").checked;
    for (const c of all ? trace.conflicts : linksOf.get(current) || []) {
      const a = rowOfStep[c.first], b = rowOfStep[c.second];
      if ((a < from && b < from) || (a >= to && b >= to)) continue;
      arrow(a, steps[c.first - 1].thread, b, steps[c.second - 1].thread,
        c.first === current || c.second === current ? "strong" : "");
    }
    const waitRow = new Map();
    rows.forEach((r, i) => { if (r.kind === "wait") waitRow.set(r.thread, i); });
    for (const w of trace.waits)
      if (w.on !== null && w.on !== w.thread && waitRow.has(w.on))
        arrow(waitRow.get(w.thread), w.thread, waitRow.get(w.on), w.on, "wait");
  }

  /* ---- one step */

  let current = 0;
  function select(step, scroll) {
    current = Math.max(0, Math.min(total, step));
    $("slider").value = current;
    $("where").textContent = current ? "step " + current + " of " + total : "start, " + total + " steps";
    $("slider").setAttribute("aria-valuetext", current ? "step " + current + ": " + threadName(steps[current - 1].thread) + " " + steps[current - 1].text : "start");
    if (scroll !== false) {
      const box = $("lanes"), y = rowOfStep[current] * ROW, height = box.clientHeight - $("names").offsetHeight;
      if (y < box.scrollTop || y + ROW > box.scrollTop + height) box.scrollTop = Math.max(0, y - height / 2);
    }
    draw();
    stepShow();
    valuesShow();
    sourceShow();
    history_replace();
  }
  /* So that a step can be linked to; not all browsers allow it in local files. */
  function history_replace() {
    try { window.history.replaceState(null, "", "#step=" + current); } catch (e) { /* no link then */ }
  }

  function stepShow() {
    const box = $("step");
    box.replaceChildren();
    if (!current) { box.append(element("p", { text: "Nothing has happened yet." })); return; }
    const s = steps[current - 1];
    box.append(element("p", { class: "what", text: s.text }),
      element("p", { class: "dim", text: current + ": " + threadName(s.thread) + kindOf(s) }), stackList(s.site, s.stack));
    for (const line of linkLines(current)) box.append(element("p", { text: line }));
    if (current === total) for (const w of trace.waits) box.append(element("p", { text: threadName(w.thread) + " waits for " + w.text }));
  }
  const kindOf = (s) => s.plain ? ", a plain access" : s.flush ? ", a store leaves its buffer" : s.buffered ? ", into its buffer" : "";
  function linkLines(step) {
    return (linksOf.get(step) || []).slice(0, 6).map((c) => {
      const other = steps[(c.first === step ? c.second : c.first) - 1];
      return (c.first === step ? "comes before " : "comes after ") + "step " + other.number + " of T" + other.thread + ": " + other.text;
    });
  }

  function valuesShow() {
    const body = $("values").tBodies[0];
    body.replaceChildren();
    trace.variables.forEach((variable, i) => {
      const now = valueAt(i, current), before = current ? valueAt(i, current - 1) : now;
      const changed = now !== before;
      const value = element("td", {});
      if (changed && before) value.append(element("del", { text: before.value }));
      value.append(now ? now.value : "not known yet");
      const name = element("td", { text: variable.name });
      if (variable.kind !== "cell") name.append(" ", element("span", { class: "kind", text: variable.kind }));
      body.append(element("tr", { class: changed ? "changed" : null }, name, value));
    });
    if (!trace.variables.length) body.append(element("tr", {}, element("td", { text: "none" }), element("td", {})));
  }

  const sourceLines = new Map(trace.source.map((f) => [f.file, new Map(f.lines.map((l) => [l.number, l.text]))]));
  function snippet(site, around) {
    const lines = site && site.file ? sourceLines.get(site.file) : null, box = element("div", {});
    if (!site || !site.file) return box;
    box.append(element("h3", { text: place(site, true) + (site.function ? " in " + site.function : "") }));
    if (!lines) { box.append(element("p", { class: "dim", text: "The source is not in the trace." })); return box; }
    for (let n = site.line - around; n <= site.line + around; n++)
      if (lines.has(n))
        box.append(element("div", { class: "line" + (n === site.line ? " here" : "") },
          element("span", { text: n }), element("span", { text: lines.get(n) })));
    return box;
  }
  /* At the end, where the threads that are stuck stand, or where the bug shows. */
  function sourceShow() {
    const box = $("source"), s = current ? steps[current - 1] : null;
    box.replaceChildren(snippet(s ? s.site : trace.bug.site, 5));
    if (current === total)
      for (const site of trace.waits.length ? trace.waits.map((w) => w.site) : [trace.bug.site])
        if (place(site, true) !== place(s && s.site, true)) box.append(snippet(site, 3));
  }

  /* ---- hover and focus */

  function tipShow(button) {
    const row = rows[Number(button.dataset.row)], tip = $("tip");
    const s = row.kind === "step" ? steps[row.index] : null;
    tip.replaceChildren(element("p", { class: "what", text: rowText(row) }), element("p", { class: "dim", text: threadName(row.thread) + (s ? kindOf(s) : "") }));
    if (s && s.value !== null && s.cell) tip.append(element("p", { text: "value " + s.value + (s.size ? ", " + s.size + " bytes" : "") + " at " + s.cell }));
    for (const v of s ? trace.values.filter((x) => x.step === row.at) : []) tip.append(element("p", { text: trace.variables[v.variable].name + " becomes " + v.value }));
    for (const line of s ? linkLines(row.at) : []) tip.append(element("p", { text: line }));
    tip.append(row.kind === "step" ? stackList(s.site, s.stack) : row.kind === "wait" ? stackList(row.wait.site, row.wait.stack) : stackList(trace.bug.site, trace.bug.stack));
    tip.hidden = false;
    button.setAttribute("aria-describedby", "tip");
    const r = button.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(r.left, window.innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (r.bottom + tip.offsetHeight + 8 > window.innerHeight ? Math.max(4, r.top - tip.offsetHeight - 6) : r.bottom + 6) + "px";
  }
  const tipHide = () => { $("tip").hidden = true; };
  for (const [on, off] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
    $("rows").addEventListener(on, (e) => { if (e.target.dataset && e.target.dataset.row) tipShow(e.target); });
    $("rows").addEventListener(off, tipHide);
  }

  /* ---- keys and buttons */

  function switchFrom(step, direction) {
    for (let i = step + direction; i > 0 && i <= total; i += direction) if (isSwitch(i - 1)) return i;
    return direction < 0 ? 0 : total;
  }
  const moves = {
    first: () => 0, last: () => total, previous: () => current - 1, next: () => current + 1,
    "previous-switch": () => switchFrom(current, -1), "next-switch": () => switchFrom(current, 1),
  };
  for (const id of Object.keys(moves)) $(id).addEventListener("click", () => select(moves[id]()));
  const keys = { Home: "first", End: "last", ArrowUp: "previous", ArrowDown: "next", ArrowLeft: "previous", ArrowRight: "next", PageUp: "previous-switch", PageDown: "next-switch" };
  $("lanes").addEventListener("keydown", (e) => {
    if (e.key === "Escape") { tipHide(); return; }
    if (!(e.key in keys) || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    select(moves[keys[e.key]]());
    const here = document.querySelector(".row.current .step");
    if (here) tipShow(here); else tipHide();
  });
  $("lanes").addEventListener("blur", tipHide);
  $("slider").addEventListener("input", () => select(Number($("slider").value)));
  $("lanes").addEventListener("scroll", () => { tipHide(); draw(); });
  window.addEventListener("resize", () => { lanesFit(); draw(); });
  $("all-arrows").addEventListener("change", draw);
  $("fold").addEventListener("change", () => { opened.clear(); rowsMake(); select(current); });

  function themeSet(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    $("theme").setAttribute("aria-pressed", String(dark));
  }
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  themeSet(system.matches);
  system.addEventListener("change", (e) => themeSet(e.matches));
  $("theme").addEventListener("click", () => themeSet(document.documentElement.dataset.theme !== "dark"));

  /* ---- the bug, above all */

  function aboutShow() {
    const box = $("bug"), bug = trace.bug;
    const switches = steps.filter((s, i) => isSwitch(i)).length;
    box.append(element("p", { text: "in " + threadName(bug.thread) + (place(bug.site) ? " at " + place(bug.site, true) : "") + (bug.site && bug.site.function ? " in " + bug.site.function : "") }));
    if (trace.waits.length) {
      const list = element("ul", { class: "waits" });
      for (const w of trace.waits) list.append(element("li", { text: threadName(w.thread) + " waits for " + w.text + (place(w.site) ? ", at " + place(w.site) : "") }));
      box.append(list);
    } else if (bug.details.length) box.append(element("pre", { text: bug.details.join("\n") }));
    box.append(element("p", { class: "facts", text: [trace.program].concat(trace.arguments).join(" ") + ", model " + trace.model + ", " + count(total, "step", "s") + ", " + count(lanes.length, "thread", "s") + ", " + count(switches, "context switch", "es") }));
    if (trace.options["newer-source"]) box.append(element("p", { class: "facts", text: trace.options["newer-source"] + " is newer than the program: its lines may not be those that ran." }));
    if (trace.output) { $("output").textContent = trace.output; $("output-section").hidden = false; }
  }
  function namesShow() {
    $("names").append(element("div", { class: "number", role: "columnheader", text: "step" }));
    for (const n of lanes) {
      const name = element("div", { class: "name", role: "columnheader", text: threadName(n), title: threadName(n) + (trace.threads[n].created ? ", created at " + place(trace.threads[n].created, true) : "") });
      name.style.setProperty("--colour", colour(n));
      $("names").append(name);
    }
    $("names").append(element("div", { class: "place", role: "columnheader", text: "place" }));
  }

  aboutShow();
  namesShow();
  $("slider").max = total;
  $("fold").checked = total > 200;
  lanesFit();
  rowsMake();
  const wanted = /^#step=(\d+)$/.exec(window.location.hash);
  select(wanted ? Number(wanted[1]) : total);
})();
