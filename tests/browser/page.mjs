// Drives the page of `raddle show --html` in a real browser. Arguments: the directory with playwright-core, the
// browser, the directory with the pages, and one for pictures, or "".
import { createRequire } from "node:module";
import path from "node:path";

const [modules, browserPath, pages, pictures] = process.argv.slice(2);
const { chromium } = createRequire(path.join(modules, "package.json"))("playwright-core");
let passed = 0, failed = 0;

function check(condition, what) {
  if (condition) passed++;
  else { failed++; console.error("FAIL " + what); }
}

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
});

// Opens a page; whatever goes wrong in it is a failure. A request to anything but the file itself, too.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (e) => check(false, name + ": script error: " + e));
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") check(false, name + ": " + m.text()); });
  page.on("request", (r) => check(r.url().startsWith("file://") && r.url().split("#")[0].endsWith(encodeURIComponent(name) + ".html"), name + ": asks for " + r.url()));
  await page.goto("file://" + path.join(pages, encodeURIComponent(name) + ".html"));
  await page.waitForSelector("#names .name");
  return page;
}
const picture = (page, name) => pictures ? page.screenshot({ path: path.join(pictures, name + ".png") }) : null;
const value = (page, name) => page.locator("#values tbody tr", { hasText: name }).first().locator("td").nth(1).evaluate((td) => td.lastChild.textContent);
async function slide(page, step) {
  await page.locator("#slider").evaluate((e, v) => { e.value = v; e.dispatchEvent(new Event("input")); }, step);
}

// ---- a race: lanes, values, stacks, arrows

{
  const page = await open("counter");
  const taking = await page.evaluate(() => {
    const trace = JSON.parse(document.getElementById("trace").textContent);
    return new Set(trace.steps.map((s) => s.thread).concat(trace.bug.thread)).size;
  });
  check(taking >= 2 && await page.locator("#names .name").count() === taking, "counter: a lane for each of " + taking + " threads");
  check((await page.title()).startsWith("data-race:"), "counter: the title tells the bug");
  // opens at the race: both sides are marked, told, and shown with their source; no arrow tells which comes first
  const sides = page.locator(".step.side");
  check(await sides.count() === 2 && await page.locator(".row.current .step.side").count() === 1, "counter: both sides of the race are marked");
  check(await page.locator("#paths path.race").count() === 1 && await page.locator("#paths path.race").getAttribute("marker-end") === null, "counter: the race is no arrow");
  check(await page.locator("#source .alarm .line.here").count() === 2, "counter: the source of both sides");
  check(await page.locator("#about .said .jump").count() === 2, "counter: both sides are told above");
  check(await page.evaluate(() => document.getElementById("source").compareDocumentPosition(document.getElementById("values")) === Node.DOCUMENT_POSITION_FOLLOWING), "counter: source above values");
  await slide(page, 0);
  check(await value(page, "counter") === "0", "counter: 0 at the start");
  check((await page.locator("#where").textContent()).startsWith("start"), "counter: says that this is the start");
  const max = Number(await page.locator("#slider").getAttribute("max"));
  await slide(page, max);
  check(await value(page, "counter") === "2", "counter: 2 at the end");
  // the slider, by keyboard: values move along
  await slide(page, 0);
  await page.locator("#slider").focus();
  const seen = [];
  for (let i = 0; i < max; i++) { await page.keyboard.press("ArrowRight"); seen.push(await value(page, "counter")); }
  check(seen.includes("1") && seen.at(-1) === "2", "counter: values on the way: " + seen);
  // hover
  const store = page.locator(".step", { hasText: "store counter = 1" });
  await store.hover();
  check(await page.locator("#tip").isVisible(), "counter: a tip on hover");
  const tip = await page.locator("#tip").textContent();
  check(tip.includes("careless") && tip.includes("counter.c:18") && tip.includes("counter becomes 1"), "counter: the tip has value and stack: " + tip);
  // click selects: source and arrows
  await store.click();
  check((await page.locator("#source .line.here").first().textContent()).includes("counter++"), "counter: the source line is marked");
  check(await page.locator("#paths path.strong").count() >= 1, "counter: arrows to what conflicts");
  check(await page.locator(".row.current").getAttribute("aria-current") === "step", "counter: the current step is told");
  await page.locator("#all-arrows").check();
  await picture(page, "counter");
  // keys in the lanes
  await page.locator("#lanes").focus();
  await page.keyboard.press("Home");
  check((await page.locator("#where").textContent()).startsWith("start"), "counter: Home");
  await page.keyboard.press("ArrowDown");
  check((await page.locator("#where").textContent()).startsWith("step 1 of"), "counter: arrow down");
  check((await page.locator("#step .what").textContent()).length > 0, "counter: the panel tells of the step");
  await page.keyboard.press("f");
  check(await page.locator(".row.current .step.side").count() === 1, "counter: f leads to the race");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("End");
  check((await page.locator("#where").textContent()).startsWith("step " + max), "counter: End");
  await page.context().close();
}

// ---- a deadlock: who waits, what is held; dark

{
  const page = await open("abba", { colorScheme: "dark" });
  check(await page.locator("html").getAttribute("data-theme") === "dark", "abba: dark as the system");
  check(await page.locator("#names .name").count() === 3, "abba: a lane for each of three threads");
  check(await page.locator(".step.alarm").count() === 3, "abba: three threads are stuck");
  check((await page.locator("#about").textContent()).includes("held by"), "abba: who holds what");
  check((await value(page, "a")).includes("held by T1, T2 waits"), "abba: the holder: " + await value(page, "a"));
  check(await page.locator("#paths path.wait").count() >= 2, "abba: arrows of those who wait");
  check((await page.locator("#about .said").textContent()).startsWith("A cycle: T1 waits for T2, which waits for T1."), "abba: the circle is told first");
  check(await page.locator("#source .alarm .line.here").count() === 3, "abba: the source of all that wait");
  await picture(page, "abba-dark");
  check(await page.locator("#theme").textContent() === "Light colours", "abba: the button says what it does");
  await page.locator("#theme").click();
  check(await page.locator("#theme").textContent() === "Dark colours", "abba: the button says what it does now");
  check(await page.locator("html").getAttribute("data-theme") === "light", "abba: the button changes the colours");
  await page.context().close();
}

// ---- store buffers

{
  const page = await open("sb");
  const max = Number(await page.locator("#slider").getAttribute("max"));
  const seen = new Set();
  for (let i = 0; i <= max; i++) { await slide(page, i); seen.add(await value(page, "store buffer of T1")); }
  check(seen.has("x = 1") && seen.has("empty"), "sb: the buffer fills and empties: " + [...seen]);
  check(await page.locator(".step.flush").count() >= 2, "sb: flushes");
  check((await page.locator("#about .said").textContent()).includes("is in its store buffer"), "sb: what was still in the buffer is told");
  await picture(page, "sb");
  await page.context().close();
}

// ---- whatever is in the trace is text

{
  const page = await open("x%y");
  check(!await page.evaluate(() => window.hacked), "hostile: nothing of the trace is run");
  check((await page.locator("#source").textContent()).length > 0, "hostile: has source");
  check((await page.locator("h1").textContent()).includes("</failure>"), "hostile: the message is shown as it is");
  await page.context().close();
}

// ---- two thousand steps: as quick, few elements, folded

{
  const begin = Date.now();
  const page = await open("long");
  const took = Date.now() - begin;
  const max = Number(await page.locator("#slider").getAttribute("max"));
  check(max >= 2000, "long: " + max + " steps");
  check(took < 10000, "long: opened in " + took + " ms");
  check(await page.locator(".row").count() < 120, "long: only what is seen is made");
  await picture(page, "long-end");
  await page.locator("#fold").uncheck();
  await slide(page, Math.floor(max / 2));
  check(await page.locator(".row.current .number").textContent() === String(Math.floor(max / 2)), "long: the middle is scrolled to");
  const slideBegin = Date.now();
  for (let i = 0; i < 50; i++) await slide(page, i * 40);
  check(Date.now() - slideBegin < 10000, "long: 50 moves in " + (Date.now() - slideBegin) + " ms");
  await page.locator("#fold").check();
  await slide(page, 1000);
  await page.locator("#all-arrows").check();
  await picture(page, "long-folded");
  await page.context().close();
}

// ---- eight threads, hundreds of steps: at both widths every step on the screen is there in full, and nothing is beyond the edge

for (const width of [1400, 700]) {
  const page = await open("pool", { viewport: { width, height: 900 } });
  const max = Number(await page.locator("#slider").getAttribute("max"));
  const name = "pool at " + width + ": ";
  check(max >= 300 && await page.locator("#names .name").count() === 8, name + max + " steps of eight threads");
  check(await page.locator(".row.current").isVisible(), name + "opens at the failing step");
  check((await page.locator("#about .said").textContent()).includes("is lost"), name + "the lost update is told");
  for (const step of [1, Math.floor(max / 3), Math.floor(max / 2), max]) {
    await slide(page, step);
    const cut = await page.evaluate(() => {
      const box = document.getElementById("lanes").getBoundingClientRect();
      return [...document.querySelectorAll(".row .step")].filter((b) => b.scrollWidth > b.clientWidth + 1 || b.getBoundingClientRect().right > box.right).map((b) => b.textContent);
    });
    check(cut.length === 0, name + "cut at step " + step + ": " + cut[0]);
    const row = page.locator(".row.current");
    const [r, l] = [await row.boundingBox(), await page.locator("#lanes").boundingBox()];
    check(r && r.y >= l.y && r.y + r.height <= l.y + l.height, name + "step " + step + " is on the screen");
  }
  const heads = await page.locator("#values tbody th").allTextContents();
  check(heads.includes("pool points to"), name + "values by object: " + heads);
  check(await page.locator("#values .member td:first-child", { hasText: /^slots\[3\]$/ }).count() === 1, name + "members by name");
  await page.locator("#values .member .jump").first().click();
  check(await page.locator("#values tr.changed").count() >= 1 && await page.locator("#values tr.changed td").nth(1).textContent() !== "", name + "what changed is marked");
  await picture(page, "pool-" + width);
  await page.context().close();
}

// ---- so many threads that lanes have to scroll: sideways to the step, too

{
  const page = await open("many", { viewport: { width: 500, height: 700 } });
  await slide(page, 1);
  for (const key of ["End", "Home", "End"]) {
    await page.locator("#lanes").focus();
    await page.keyboard.press(key);
    if (key === "Home") await page.keyboard.press("ArrowDown");
    const inside = await page.evaluate(() => {
      const box = document.getElementById("lanes").getBoundingClientRect(), edge = document.querySelector("#names .edge").getBoundingClientRect();
      const chip = document.querySelector(".row.current .step").getBoundingClientRect();
      return chip.left >= edge.right - 1 && chip.right <= box.right + 1;
    });
    check(inside, "many: " + key + " scrolls sideways to the step");
  }
  check(await page.evaluate(() => document.getElementById("lanes").scrollWidth > document.getElementById("lanes").clientWidth), "many: there is something to scroll");
  await picture(page, "many");
  await page.context().close();
}

// ---- a narrow screen

{
  const page = await open("counter", { viewport: { width: 420, height: 800 } });
  check(await page.locator("#slider").isVisible() && await page.locator("#values").count() === 1, "narrow: all is there");
  check(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth + 1), "narrow: the page itself does not scroll sideways");
  await picture(page, "narrow");
  await page.context().close();
}

await browser.close();
console.log(passed + " passed, " + failed + " failed");
process.exit(failed ? 1 : 0);
