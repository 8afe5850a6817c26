"use strict";
/* Shows one run. The trace is JSON (docs/reports.md); all text goes into the page as text, never as markup. Rows are
 * made only for what is on the screen, so thousands of steps cost no more than a few. */
(function () {
  const trace = JSON.parse(document.getElementById("trace").textContent);
  const steps = trace.steps, total = steps.length, bug = trace.bug;
  const ROW = 26, NUMBER = 46;               /* as in the style sheet */
  const PITCH_MIN = 24, LANE_MAX = 440;      /* of a lane */
  const CHIP_LEFT = 12, CHIP_PADDING = 18;   /* where a step begins in its lane, and what it takes beside its text */
  const FOLD_MIN = 3, STRETCH_WHOLE = 8;     /* fewer steps than that are not folded; a stretch as short is shown whole */
  const SAID_MAX = 3;                        /* notes above all */
  const HUES = [212, 25, 150, 285, 345, 185, 50, 320];
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
  const colour = (n) => "hsl(" + HUES[n % HUES.length] + " 52% " + (n % 16 < 8 ? 50 : 65) + "%)";

  function jump(step, text) {
    const b = element("button", { type: "button", class: "jump", text: text });
    b.addEventListener("click", () => select(step));
    return b;
  }
  /* A sentence, in which "step 12" leads to step 12. */
  function sentence(name, attributes, text) {
    const parts = text.split(/(\bstep \d+)/i);
    return element(name, attributes, ...parts.map((part, i) => {
      const step = i % 2 ? Number(part.slice(5)) : 0;
      return step && step <= total ? jump(step, part) : part;
    }));
  }

  /* The site and its callers, innermost first. */
  /* Nobody looks for a bug in the headers of the system and of the library of C++ (base/place.c has the same rule). */
  function isOfSystem(site) {
    return site !== null && (/^\/usr\/(include|lib)\//.test(site.file || "") || (!site.line && /^(std|__gnu_cxx)::/.test(site.function || "")));
  }

  function stackList(site, stack) {
    const list = element("ol", { class: "stack" });
    const sites = site ? [site] : [];
    for (let i = stack; i !== null && sites.length < 64; i = trace.frames[i].up) {
      if (!isOfSystem(trace.frames[i].site)) sites.push(trace.frames[i].site);
    }
    for (const s of sites)
      if (s) list.append(element("li", { text: (s.function || "?") + (place(s) ? " at " + place(s, true) : "") }));
    return list;
  }

  /* ---- lanes: threads that do something, wait, or have the bug */

  const taking = new Set(steps.map((s) => s.thread).concat(trace.waits.map((w) => w.thread), [bug.thread]));
  const lanes = trace.threads.map((t) => t.number).filter((n) => taking.has(n));
  const laneOf = new Map(lanes.map((n, i) => [n, i]));

  /* ---- who waits: those first who wait for each other */

  const waitOf = new Map(trace.waits.map((w) => [w.thread, w]));
  function isCircle(wait) {
    let w = wait;
    for (let i = 0; w && w.on !== null && i <= trace.waits.length; i++) {
      if (w.on === wait.thread) return true;
      w = waitOf.get(w.on);
    }
    return false;
  }
  const waits = [...trace.waits].sort((a, b) => isCircle(b) - isCircle(a));

  /* ---- conflicts, and stores with their flushes, by both ends */

  const links = trace.conflicts.concat(steps.filter((s) => s.store).map((s) => ({ first: s.store, second: s.number, flush: true })));
  const linksOf = new Map(), notesBy = new Map();
  const addTo = (map, key, value) => { if (!map.has(key)) map.set(key, []); map.get(key).push(value); };
  for (const c of links) for (const end of [c.first, c.second]) addTo(linksOf, end, c);
  for (const n of trace.notes) addTo(notesBy, n.step, n.text);

  /* ---- the steps that fail: both sides of a race, or the last step of the thread with the bug at the place of the bug */

  const isAt = (s, site) => s.site && site && s.site.file === site.file && s.site.line === site.line && s.site.column === site.column;
  function sidesFind() {
    if (trace.sides) return trace.sides;
    if (bug.kind !== "data-race") return [];
    const ends = trace.conflicts.filter((c) => steps[c.second - 1].thread === bug.thread && isAt(steps[c.second - 1], bug.site));
    if (!ends.length) return [];
    const last = ends[ends.length - 1];
    return [last.first, last.second].map((n) => {
      const s = steps[n - 1];
      return { thread: s.thread, step: n, what: s.text, locks: [], site: s.site, stack: s.stack };
    });
  }
  const sides = sidesFind();
  const sideOf = new Map(sides.filter((s) => s.step).map((s) => [s.step, s]));
  function failingFind() {
    if (sideOf.size) return Math.max(...sideOf.keys());
    if (waits.length) return total;
    for (let i = total; i > 0; i--)
      if (steps[i - 1].thread === bug.thread && isAt(steps[i - 1], bug.site)) return i;
    return total;
  }
  const failing = failingFind();

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

  /* ---- rows: a step, a fold of several, or where a thread ends up. `at` is what the slider shows there. */

  const lastRunner = [];
  for (let i = 0, runner = null; i < total; i++) {
    if (!steps[i].flush && !steps[i].plain) runner = steps[i].thread;
    lastRunner.push(runner);
  }
  const isSwitch = (i) => i > 0 && !steps[i].flush && !steps[i].plain && lastRunner[i - 1] !== null && lastRunner[i - 1] !== steps[i].thread;
  /* The trace says what matters to the failure; where it does not know, what other threads notice does. */
  const knows = steps.some((s) => s.matters !== undefined);
  const matters = (n) => (knows ? steps[n - 1].matters : linksOf.has(n)) || notesBy.has(n) || sideOf.has(n) || n === failing;
  const opened = new Set();                  /* folds that the user has opened, by their first step */
  let rows = [], rowOfStep = [];

  /* How many steps from `i` on are hidden: of a stretch of one thread [begin, end). */
  function foldAt(i, begin, end) {
    if (!$("fold").checked || opened.has(i) || (i === begin && !knows)) return 0;
    let n = 0;
    while (i + n < end - (knows ? 0 : 1) && !matters(i + n + 1) && (knows || steps[i + n].plain || end - begin > STRETCH_WHOLE)) n++;
    return n >= FOLD_MIN ? n : 0;
  }
  function stretchMake(begin, end) {
    for (let i = begin; i < end;) {
      const hidden = foldAt(i, begin, end);
      for (let h = 0; h < Math.max(1, hidden); h++) rowOfStep[i + h + 1] = rows.length;
      rows.push(hidden ? { kind: "fold", first: i, count: hidden, at: i + 1, thread: steps[i].thread } : { kind: "step", index: i, at: i + 1, thread: steps[i].thread });
      i += Math.max(1, hidden);
    }
  }
  function rowsMake() {
    rows = [];
    rowOfStep = new Array(total + 1).fill(0);
    for (let i = 0; i < total;) {
      let end = i + 1;
      while (end < total && steps[end].thread === steps[i].thread) end++;
      stretchMake(i, end);
      i = end;
    }
    for (const w of waits) rows.push({ kind: "wait", wait: w, at: total, thread: w.thread });
    if (!waits.length && !sideOf.size) rows.push({ kind: "bug", at: total, thread: bug.thread });
    $("rows").style.height = (rows.length + 1) * ROW + "px";
    $("lanes").setAttribute("aria-rowcount", rows.length + 1);
  }

  function rowText(row) {
    if (row.kind === "wait") return "waits for " + row.wait.text;
    if (row.kind === "bug") return "✗ " + bug.kind;
    if (row.kind === "fold") return "… " + row.count + " more steps";
    return steps[row.index].text;
  }
  function rowSite(row) {
    return row.kind === "step" ? steps[row.index].site : row.kind === "wait" ? row.wait.site : row.kind === "bug" ? bug.site : null;
  }
  function rowClass(row) {
    if (row.kind === "fold") return "step fold";
    if (row.kind !== "step") return "step alarm";
    const s = steps[row.index];
    return "step" + (sideOf.has(row.at) ? " alarm side" : "") + (s.plain ? " plain" : "") + (s.flush ? " flush" : "") + (linksOf.has(row.at) ? " conflict" : "");
  }
  const isHere = (row) => row.kind === "step" ? row.at === current : row.kind === "fold" && current > row.first && current <= row.first + row.count;

  function chipMake(row, index) {
    const b = element("button", { type: "button", tabindex: "-1", text: rowText(row), "data-row": index, class: rowClass(row) });
    b.style.left = leftOf(row.thread) + CHIP_LEFT + "px";
    b.style.maxWidth = Math.max(80, rowsWidth - leftOf(row.thread) - CHIP_LEFT - 4) + "px";
    b.style.setProperty("--colour", colour(row.thread));
    b.addEventListener("click", () => {
      if (row.kind === "fold") { opened.add(row.first); rowsMake(); draw(); return; }
      select(row.at, false);
      $("lanes").focus({ preventScroll: true });
    });
    return b;
  }
  function rowMake(index) {
    const row = rows[index], here = isHere(row);
    const e = element("div", {
      class: "row" + (here ? " current" : "") + (row.kind === "step" && isSwitch(row.index) ? " switch" : ""),
      role: "row", "aria-rowindex": index + 2, "aria-current": here ? "step" : null,
    });
    e.style.top = index * ROW + "px";
    e.style.width = rowsWidth + "px";
    e.append(edgeMake(row.kind === "step" ? row.at : "", "rowheader", "gridcell", place(rowSite(row)), place(rowSite(row), true)),
      element("div", { role: "gridcell" }, chipMake(row, index)));
    return e;
  }
  function edgeMake(number, numberRole, placeRole, text, title) {
    const edge = element("div", { class: "edge", role: "presentation" }, element("div", { class: "number", role: numberRole, text: number }));
    if (edgeWidth > NUMBER) edge.append(element("div", { class: "place", role: placeRole, text: text, title: title }));
    edge.style.width = edgeWidth + "px";
    return edge;
  }

  /* ---- widths: a lane takes what its longest step needs. Where that is too much for the window, lanes come closer
   * together: a row has one step only, which may reach over the lanes to its right. */

  const CHAR = (function () {
    const probe = element("button", { class: "step", text: "0".repeat(100) });
    $("rows").append(probe);
    const width = (probe.getBoundingClientRect().width - 16) / 100;
    probe.remove();
    return width || 7.6;
  })();
  const needs = lanes.map((n) => CHAR * (threadName(n).length + 1));
  function needsFind() {
    const need = (thread, text) => {
      const lane = laneOf.get(thread);
      needs[lane] = Math.max(needs[lane], Math.min(LANE_MAX, text.length * CHAR + CHIP_PADDING));
    };
    for (const s of steps) need(s.thread, s.text);
    for (const w of waits) need(w.thread, "waits for " + w.text);
  }
  let edgeWidth = NUMBER, rowsWidth = 0, lefts = [];
  const leftOf = (thread) => edgeWidth + lefts[laneOf.get(thread)];

  /* Puts the lanes at most `pitch` apart; returns the width that all need then. */
  function lanesPut(pitch) {
    let left = 6, width = 0;
    lanes.forEach((n, i) => {
      lefts[i] = left;
      width = Math.max(width, left + CHIP_LEFT + needs[i] + 6);
      left += Math.min(needs[i] + CHIP_LEFT + 12, pitch);
    });
    return width;
  }
  function lanesFit() {
    const box = $("lanes"), longest = Math.max(5, ...steps.map((s) => place(s.site).length), ...waits.map((w) => place(w.site).length), place(bug.site).length);
    edgeWidth = NUMBER + (box.clientWidth < 480 ? 0 : Math.min(150, Math.ceil(longest * 7.3) + 12));
    let low = PITCH_MIN, high = LANE_MAX + 40;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (lanesPut(middle) <= box.clientWidth - edgeWidth) low = middle; else high = middle;
    }
    rowsWidth = Math.max(box.clientWidth, edgeWidth + lanesPut(low));
    $("rows").style.width = $("names").style.width = rowsWidth + "px";
    namesShow();
    railsShow();
  }

  function namesShow() {
    $("names").replaceChildren(edgeMake("step", "columnheader", "columnheader", "place"));
    lanes.forEach((n, i) => {
      const width = (i + 1 < lanes.length ? lefts[i + 1] : rowsWidth - edgeWidth) - lefts[i];
      const created = trace.threads[n].created;
      const fits = threadName(n).length * 8 + 18 <= width;
      const name = element("div", { class: "name", role: "columnheader", text: fits ? threadName(n) : (width < 36 ? "" : "T") + n, title: threadName(n) + (created ? ", created at " + place(created, true) : "") });
      name.style.left = leftOf(n) - 6 + "px";
      if (width < 36) name.style.padding = "4px 0 0 2px";
      name.style.width = width + "px";
      name.style.setProperty("--colour", colour(n));
      $("names").append(name);
    });
  }
  function railsShow() {
    for (const rail of document.querySelectorAll(".rail")) rail.remove();
    for (const n of lanes) {
      const rail = element("div", { class: "rail" });
      rail.style.left = leftOf(n) + 1 + "px";
      rail.style.setProperty("--colour", colour(n));
      $("rows").prepend(rail);
    }
  }

  /* ---- drawing what is on the screen */

  let drawn = [];
  function draw() {
    const box = $("lanes"), from = Math.max(0, Math.floor(box.scrollTop / ROW) - 8);
    const to = Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 8);
    for (const e of drawn) e.remove();
    drawn = [];
    for (let i = from; i < to; i++) drawn.push(rowMake(i));
    $("rows").append(...drawn);
    arrowsDraw(from, to);
  }

  const chipWidth = (row) => Math.min(rowText(row).length * CHAR + 16, Math.max(80, rowsWidth - leftOf(row.thread) - CHIP_LEFT - 4));
  /* Down beside the rail of the first step, then over to the second: from the left to its beginning, from the right to its end, or onto
   * it if it lies across the way. Upwards the same. */
  function arrow(a, b, kind) {
    const from = rows[a], to = rows[b], down = b > a ? 1 : -1, corner = 7;
    const x1 = leftOf(from.thread) + 7, x2 = leftOf(to.thread) + CHIP_LEFT, end = x2 + chipWidth(to);
    const y1 = a * ROW + ROW / 2 + down * 8, y2 = b * ROW + ROW / 2;
    let d = "M" + x1 + " " + y1;
    if (x1 < x2 - corner) d += " V" + (y2 - down * corner) + " Q" + x1 + " " + y2 + " " + (x1 + corner) + " " + y2 + " H" + x2;
    else if (x1 > end + corner) d += " V" + (y2 - down * corner) + " Q" + x1 + " " + y2 + " " + (x1 - corner) + " " + y2 + " H" + end;
    else d += " V" + (y2 - down * 11);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", "link " + kind);
    path.setAttribute("d", d);
    /* what races is not ordered: no head that would tell which of the two comes first */
    if (kind !== "race") path.setAttribute("marker-end", kind === "wait" ? "url(#alarm-head)" : "url(#head)");
    $("paths").append(path);
  }

  /* Those of this step, and on demand all that begin or end on the screen; the race and who waits for whom at any time. */
  function arrowsDraw(from, to) {
    const isSeen = (a, b) => a !== b && !(a < from && b < from) && !(a >= to && b >= to);
    $("paths").replaceChildren();
    for (const c of $("all-arrows").checked ? links : linksOf.get(current) || []) {
      const a = rowOfStep[c.first], b = rowOfStep[c.second];
      if (isSeen(a, b) && !(sideOf.has(c.first) && sideOf.has(c.second))) arrow(a, b, c.first === current || c.second === current ? "strong" : "");
    }
    const ends = [...sideOf.keys()].sort((a, b) => a - b).map((n) => rowOfStep[n]);
    if (ends.length === 2 && isSeen(ends[0], ends[1])) arrow(ends[0], ends[1], "race");
    const waitRow = new Map();
    rows.forEach((r, i) => { if (r.kind === "wait") waitRow.set(r.thread, i); });
    for (const w of waits)
      if (w.on !== null && w.on !== w.thread && waitRow.has(w.on)) arrow(waitRow.get(w.thread), waitRow.get(w.on), "wait");
  }

  /* The whole run on one strip: each step in the colour of its thread. */
  function stripDraw() {
    const canvas = $("strip"), ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const pen = canvas.getContext("2d"), one = canvas.width / Math.max(1, total), high = canvas.height / lanes.length;
    steps.forEach((s, i) => {
      pen.fillStyle = colour(s.thread);
      pen.fillRect(i * one, laneOf.get(s.thread) * high, Math.max(one, ratio), Math.max(high, ratio));
    });
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--alarm");
    for (const n of sideOf.size ? sideOf.keys() : [failing]) pen.fillRect((n - 0.5) * one - ratio, 0, 2 * ratio, canvas.height);
  }

  /* ---- one step */

  let current = 0;
  function scrollTo(row, middle) {
    const box = $("lanes"), y = row * ROW, height = box.clientHeight - $("names").offsetHeight;
    if (middle || y < box.scrollTop || y + ROW > box.scrollTop + height) box.scrollTop = Math.max(0, y - height / 2);
    if (!rows[row]) return;
    const left = leftOf(rows[row].thread), right = left + CHIP_LEFT + chipWidth(rows[row]) + 6;
    if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
    if (left < box.scrollLeft + edgeWidth) box.scrollLeft = Math.max(0, left - edgeWidth - 6);
  }
  function select(step, scroll) {
    current = Math.max(0, Math.min(total, step));
    $("slider").value = current;
    $("where").textContent = current ? "step " + current + " of " + total : "start, " + count(total, "step", "s");
    $("slider").setAttribute("aria-valuetext", current ? "step " + current + ": " + threadName(steps[current - 1].thread) + " " + steps[current - 1].text : "start");
    if (scroll !== false) scrollTo(rowOfStep[current], scroll === "middle");
    draw();
    stepShow();
    sourceShow();
    valuesShow();
    linkPut();
  }
  /* So that a step can be linked to; not all browsers allow it in local files. */
  function linkPut() {
    try { window.history.replaceState(null, "", "#step=" + current); } catch (e) { /* no link then */ }
  }

  const kindOf = (s) => s.plain ? ", a plain access" : s.flush ? ", a store leaves its buffer" : s.buffered ? ", into its buffer" : "";
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  function stepShow() {
    const box = $("step");
    box.replaceChildren();
    if (!current) { box.append(element("p", { text: "Nothing has happened yet." })); return; }
    const s = steps[current - 1];
    box.append(element("p", { class: "what", text: s.text }), element("p", { class: "who", text: threadName(s.thread) + kindOf(s) }));
    for (const note of notesOf(current)) box.append(sentence("p", { class: "note " + note.kind }, note.text));
    trace.variables.forEach((variable, i) => {
      const now = valueAt(i, current), before = valueAt(i, current - 1);
      if (now !== before) box.append(element("p", { class: "code", text: variable.name + ": " + (before ? before.value : "not known") + " → " + now.value }));
    });
    box.append(stackList(s.site, s.stack));
  }
  function notesOf(step) {
    const notes = (notesBy.get(step) || []).map((text) => ({ kind: "wrong", text: capital(text) + "." }));
    for (const [n, side] of sideOf)
      if (sideOf.has(step) && n !== step) notes.push({ kind: "race", text: "Nothing orders this access and step " + n + " of T" + side.thread + ": " + side.what + "." });
    for (const c of (linksOf.get(step) || []).slice(0, 6)) {
      const n = c.first === step ? c.second : c.first, other = steps[n - 1];
      if (c.flush) notes.push({ kind: "link", text: c.first === step ? "It leaves the store buffer in step " + n + "." : "This is the store of step " + n + ", which leaves the store buffer here." });
      else if (!sideOf.has(n) || !sideOf.has(step)) notes.push({ kind: "link", text: (c.first === step ? "Before " : "After ") + "step " + n + " of T" + other.thread + ": " + other.text });
    }
    if (step === total) for (const w of waits) notes.push({ kind: "stuck", text: threadName(w.thread) + " waits for " + w.text + "." });
    return notes;
  }

  /* ---- values: variables first, then each object with its members */

  function groupsFind() {
    const groups = new Map([["", []]]);
    trace.variables.forEach((variable, i) => {
      const parts = /^([^.[\]\s]*?[^.[\]\s-])(->|\.|\[)(.+)$/.exec(variable.name);
      const group = variable.kind !== "buffer" && parts ? parts[1] + (parts[2] === "->" ? "->" : "") : "";
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push({ index: i, name: group ? (parts[2] === "[" ? "[" : "") + parts[3] : variable.name, kind: variable.kind });
    });
    for (const [group, members] of groups)
      members.sort((a, b) => group ? a.name.localeCompare(b.name, "en", { numeric: true }) : (a.kind === "buffer") - (b.kind === "buffer"));
    return groups;
  }
  const groups = groupsFind();
  function valueRow(member, isMember) {
    const now = valueAt(member.index, current), before = current ? valueAt(member.index, current - 1) : now;
    const changed = now !== before, value = element("td", {}), name = element("td", { text: member.name });
    if (changed && before) value.append(element("del", { text: before.value + " → " }));
    value.append(now ? now.value : "not known yet");
    if (member.kind !== "cell" && member.kind !== "buffer") name.append(" ", element("span", { class: "kind", text: member.kind }));
    return element("tr", { class: (changed ? "changed" : "") + (isMember ? " member" : ""), title: trace.variables[member.index].name },
      name, value, element("td", {}, now && now.step ? jump(now.step, String(now.step)) : element("span", { class: "dim", text: now ? "start" : "" })));
  }
  function valuesShow() {
    for (const body of [...$("values").tBodies]) body.remove();
    for (const [group, members] of groups) {
      if (!members.length) continue;
      const body = element("tbody", {});
      if (group) body.append(element("tr", {}, element("th", { colspan: 3, scope: "rowgroup", text: group.replace(/->$/, "") + (group.endsWith("->") ? " points to" : "") })));
      for (const member of members) body.append(valueRow(member, Boolean(group)));
      $("values").append(body);
    }
    if (!trace.variables.length) $("values").append(element("tbody", {}, element("tr", {}, element("td", { colspan: 3, text: "none" }))));
  }

  /* ---- source */

  const sourceLines = new Map(trace.source.map((f) => [f.file, new Map(f.lines.map((l) => [l.number, l.text]))]));
  function snippet(site, around, caption, kind) {
    const box = element("div", { class: kind });
    if (!site || !site.file) return box;
    const lines = sourceLines.get(site.file), shown = element("div", { class: "lines" });
    box.append(element("h3", {}, caption ? caption + " " : "", element("span", { class: "dim", text: place(site, true) + (site.function ? " in " + site.function : "") })));
    for (let n = site.line - around; lines && n <= site.line + around; n++)
      if (lines.has(n))
        shown.append(element("div", { class: "line" + (n === site.line ? " here" : "") }, element("span", { text: n }), element("span", { text: lines.get(n) })));
    box.append(shown.childNodes.length ? shown : element("p", { class: "dim", text: "The source is not in the trace." }));
    return box;
  }
  /* Where the step is; of a race both sides; at the end, where the threads that are stuck stand, or where the bug shows. */
  function sourceShow() {
    const box = $("source"), s = current ? steps[current - 1] : null;
    box.replaceChildren();
    if (sideOf.has(current) || (current === total && sides.length)) {
      for (const side of [...sides].sort((a, b) => (b.step === current) - (a.step === current))) box.append(snippet(side.site, 3, "T" + side.thread + ": " + side.what, "alarm"));
      return;
    }
    const ends = current !== total ? [] : waits.length ? waits : [bug];
    if (!waits.length || current !== total) box.append(snippet(s ? s.site : bug.site, 5, "", s && current === failing ? "alarm" : ""));
    for (const end of ends)
      if (end !== bug || place(bug.site, true) !== place(s && s.site, true))
        box.append(snippet(end.site, 3, end === bug ? "T" + bug.thread : "T" + end.thread + " waits for " + end.text, "alarm"));
  }

  /* ---- hover and focus */

  function tipShow(button) {
    const row = rows[Number(button.dataset.row)], tip = $("tip");
    const s = row.kind === "step" ? steps[row.index] : null;
    if (row.kind === "fold") return;
    tip.replaceChildren(element("p", { class: "what", text: rowText(row) }), element("p", { class: "dim", text: threadName(row.thread) + (s ? kindOf(s) : "") }));
    if (s && s.value !== null && s.cell) tip.append(element("p", { text: "value " + s.value + (s.size ? ", " + s.size + " bytes" : "") + " at " + s.cell }));
    for (const v of s ? trace.values.filter((x) => x.step === row.at) : []) tip.append(element("p", { text: trace.variables[v.variable].name + " becomes " + v.value }));
    for (const note of s ? notesOf(row.at) : []) tip.append(element("p", { text: note.text }));
    tip.append(s ? stackList(s.site, s.stack) : row.kind === "wait" ? stackList(row.wait.site, row.wait.stack) : stackList(bug.site, bug.stack));
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
    "previous-switch": () => switchFrom(current, -1), "next-switch": () => switchFrom(current, 1), failing: () => failing,
  };
  for (const id of Object.keys(moves)) $(id).addEventListener("click", () => select(moves[id]()));
  const keys = {
    Home: "first", End: "last", ArrowUp: "previous", ArrowDown: "next", ArrowLeft: "previous", ArrowRight: "next",
    PageUp: "previous-switch", PageDown: "next-switch", k: "previous", j: "next", f: "failing",
  };
  /* Anywhere but where keys have a meaning of their own. */
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || (e.target.closest && e.target.closest("#slider"))) return;
    if (e.key === "Escape") tipHide();
    else if (e.key === "t") themeSet(!isDark());
    else if (e.key in keys) {
      e.preventDefault();
      tipHide();
      select(moves[keys[e.key]]());
    }
  });
  $("slider").addEventListener("input", () => select(Number($("slider").value)));
  $("lanes").addEventListener("scroll", () => { tipHide(); draw(); });
  window.addEventListener("resize", () => { lanesFit(); stripDraw(); draw(); });
  $("all-arrows").addEventListener("change", draw);
  $("fold").addEventListener("change", () => { opened.clear(); rowsMake(); select(current, "middle"); });

  const isDark = () => document.documentElement.dataset.theme === "dark";
  function themeSet(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    $("theme").textContent = dark ? "Light colours" : "Dark colours";
    $("theme").title = "show the page in " + (dark ? "light" : "dark") + " colours (t)";
    stripDraw();
  }
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", (e) => themeSet(e.matches));
  $("theme").addEventListener("click", () => themeSet(!isDark()));

  /* ---- the bug, above all */

  const at = (site) => place(site) ? ", " + place(site) : "";
  function saidFind() {
    const said = trace.circle ? [capital(trace.circle) + "."] : [];
    for (const w of waits) said.push(threadName(w.thread) + " waits for " + w.text + at(w.site));
    for (const side of sides)
      said.push(threadName(side.thread) + ": " + side.what + at(side.site) + (side.step ? ", step " + side.step : "") + (side.locks.length ? ", while it holds " + side.locks.join(", ") : ""));
    said.push(...trace.notes.slice(-SAID_MAX).map((n) => capital(n.text) + "."));
    if (trace.notes.length > SAID_MAX) said.push("… and " + count(trace.notes.length - SAID_MAX, "earlier note", "s") + " of this kind");
    return said;
  }
  function aboutShow() {
    const box = $("bug"), switches = steps.filter((s, i) => isSwitch(i)).length, list = element("ul", { class: "said" });
    if (!waits.length) box.append(element("p", { text: "in " + threadName(bug.thread) + (place(bug.site) ? " at " + place(bug.site, true) : "") + (bug.site && bug.site.function ? " in " + bug.site.function : "") }));
    saidFind().forEach((text, i) => list.append(sentence("li", { class: i === 0 && trace.circle ? "first" : null }, text)));
    if (list.childNodes.length) box.append(list);
    if (bug.details.length && !waits.length) {
      const details = element("details", {}, element("summary", { text: "the report in full" }), element("pre", { text: bug.details.join("\n") }));
      details.open = !sides.length && bug.details.length <= 8;
      box.append(details);
    }
    box.append(element("p", { class: "facts", title: trace.program, text: [base(trace.program)].concat(trace.arguments).join(" ") + " · model " + trace.model + " · " + count(total, "step", "s") + " · " + count(lanes.length, "thread", "s") + " · " + count(switches, "context switch", "es") }));
    if (trace.options["newer-source"]) box.append(element("p", { class: "facts", text: trace.options["newer-source"] + " is newer than the program: its lines may not be those that ran." }));
    if (trace.output) { $("output").textContent = trace.output; $("output-section").hidden = false; }
  }

  aboutShow();
  needsFind();
  $("slider").max = total;
  $("fold").checked = total > 40;
  themeSet(system.matches);
  lanesFit();
  rowsMake();
  lanesFit();                                /* again: a scroll bar may have come */
  const wanted = /^#step=(\d+)$/.exec(window.location.hash);
  select(wanted ? Number(wanted[1]) : failing, "middle");
})();
