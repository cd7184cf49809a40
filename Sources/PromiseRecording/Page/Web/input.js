// Reacts to keys and pointers, and starts the page.
// Input
function next(step) {
  if (!rows.length) return;
  let i = selected && selected.row >= 0 ? selected.row : step > 0 ? -1 : rows.length;
  for (let count = 0; count < rows.length; count++) {
    i = (i + step + rows.length) % rows.length;
    if (rows[i].isMatch) return select(rows[i]);
  }
}
function step(distance) {
  const at = selected && selected.row >= 0 ? selected.row + distance : 0;
  if (rows.length) select(rows[Math.min(Math.max(at, 0), rows.length - 1)]);
}

const page = () => Math.max(1, Math.floor($("scroller").clientHeight / ROW) - 1);
const KEYS = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => setView(0, duration),
  ",": () => move(-0.25), ".": () => move(0.25), n: () => next(1), N: () => next(-1),
  "/": () => $("search").focus(), p: () => showPendingOnly(), Escape: () => resetFilter() };
const TREE_KEYS = { ArrowDown: () => step(1), ArrowUp: () => step(-1), PageDown: () => step(page()),
  PageUp: () => step(-page()), Home: () => step(-Infinity), End: () => step(Infinity),
  Enter: () => zoomTo(selected),
  ArrowRight: () => selected && (selected.isOpen || !selected.children.length ? step(1) : fold(selected, true)),
  ArrowLeft: () => {
    if (selected && selected.isOpen && selected.children.length && !isFiltered()) fold(selected, false);
    else if (selected && selected.parent) select(selected.parent);
  } };
/** Shows only the promises that are pending or have not finished, or all again. */
function showPendingOnly() {
  const chips = [...$("states").children], wanted = (chip) => chip.value === "pending" || chip.value === "unfinished";
  const isOn = chips.every((chip) => (chip.ariaPressed === "true") === wanted(chip));
  for (const chip of chips) chip.ariaPressed = String(!isOn && wanted(chip));
  return applyFilter();
}
/** The promise or the gate with the number that an element has as text. */
function withNumber(text) { return promises.get(Number(text)) || promises.get(text) || null; }
function onItem(event) {
  const button = event.target.closest("button[data-id]");
  if (button) select(withNumber(button.dataset.id));
}
function resetFilter() {
  clearFilter();
  $("tree").focus({ preventScroll: true });
  listAgain();
  if (selected) select(selected);
}
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isSearch = event.target === $("search");
  const action = isSearch ? { Enter: () => next(event.shiftKey ? -1 : 1), Escape: resetFilter,
    ArrowDown: () => { $("tree").focus({ preventScroll: true }); step(1); } }[event.key]
    : (event.target === $("tree") || event.target === document.body) && TREE_KEYS[event.key] || KEYS[event.key];
  if (!action || event.target.tagName === "SELECT") return;
  event.preventDefault();
  action();
}
/** The time at the pointer as a fraction of the canvas. */
function fractionAt(event, canvas, left = 0) {
  const box = canvas.getBoundingClientRect();
  return (event.clientX - box.left - left) / (box.width - left);
}
function onWheel(event) {
  const isZoom = event.ctrlKey || event.metaKey, sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (!isZoom && !sideways) return;
  event.preventDefault();
  if (isZoom) zoom(Math.exp(event.deltaY / 300), fractionAt(event, $("bars")));
  else move(sideways / 800);
}
/** A drag in the overview shows a part of the recording. A click moves the part that is shown. */
function onOverview(event) {
  const canvas = $("overview"), at = fractionAt(event, canvas) * duration, half = span0() / 2;
  canvas.setPointerCapture(event.pointerId);
  setView(at - half, at + half);
  canvas.onpointermove = (later) => {
    const to = fractionAt(later, canvas) * duration;
    if (Math.abs(later.clientX - event.clientX) > 3) setView(Math.min(at, to), Math.max(at, to));
  };
  canvas.onpointerup = () => { canvas.onpointermove = null; };
}
/** Selects the promise whose bar is at the pointer. */
function onBar(event) {
  const y = event.clientY - $("bars").getBoundingClientRect().top + $("scroller").scrollTop;
  if (rows[Math.floor(y / ROW)]) select(rows[Math.floor(y / ROW)]);
}
/** Selects the promise whose handler is at the pointer, or within three points of it. */
function onLane(event) {
  const canvas = $("lanes").firstElementChild, left = namesWidth(), box = canvas.getBoundingClientRect();
  const lane = lanes[Math.floor((event.clientY - box.top - 4) / LANE)], fraction = fractionAt(event, canvas, left);
  if (!lane || fraction < 0) return;
  const time = view.from + span0() * fraction, near = span0() * 3 / (box.width - left);
  let found = null;
  for (let k = firstRun(lane.runs); k < lane.runs.length && lane.runs[k].from <= time + near; k++) {
    if (lane.runs[k].to >= time - near) found = lane.runs[k].promise;
  }
  if (found) select(found);
}
function connect() {
  document.addEventListener("keydown", onKey);
  $("board").addEventListener("wheel", onWheel, { passive: false });
  $("scroller").addEventListener("scroll", redraw, { passive: true });
  $("search").oninput = applyFilter;
  $("tree").onclick = (event) => {
    const row = event.target.closest(".row"), p = row && withNumber(row.dataset.id);
    if (p && event.target.className === "fold") fold(p, !p.isOpen);
    else if (p) select(p);
  };
  $("details").onclick = $("list").onclick = onItem;
  $("only").onclick = showPendingOnly;
  $("overview").onpointerdown = onOverview;
  $("bars").onclick = onBar;
  $("lanes").onclick = onLane;
  $("grouping").onchange = chooseLanes;
  $("in").onclick = KEYS["+"];
  $("out").onclick = KEYS["-"];
  $("all").onclick = KEYS["0"];
  $("chosen").onclick = TREE_KEYS.Enter;
  addEventListener("resize", showRows);
  addEventListener("hashchange", followAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColours);
}
/** Shows how many promises have each state. A click on a state shows only these promises. */
function* summarising() {
  const onclick = (event) => {
    const chip = event.currentTarget;
    chip.ariaPressed = String(chip.ariaPressed !== "true");
    applyFilter();
  };
  const counts = Object.fromEntries(STATES.map((name) => [name, 0]));
  for (const p of order) {
    if (state(p) in counts) counts[state(p)] += 1;
    if (p.index % 500 === 0) yield;
  }
  $("states").replaceChildren(...STATES.map((name) => make("button",
    { className: "chip", ariaPressed: "false", onclick, value: name }, make("span", { className: "mark " + name }),
    number(counts[name]) + " " + name)));
  const total = STATES.reduce((sum, name) => sum + counts[name], 0);
  const dropped = about.dropped ? " · " + numberOf(about.dropped, "older event", "older events") + " dropped" : "";
  $("summary").textContent = [numberOf(total, "promise", "promises"), numberOf(about.events, "event", "events"),
    span(duration)].join(" · ") + dropped;
}
/** Follows the part of the address after "#": "find=text" selects the first match, and "promise=12" a promise. */
async function followAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  document.documentElement.dataset.state = "busy";
  if (wanted.has("find")) {
    $("search").value = wanted.get("find");
    if (await applyFilter()) select(rows.find((p) => p.isMatch) || null);
  }
  if (wanted.has("promise")) select(withNumber(wanted.get("promise")));
  requestAnimationFrame(() => { document.documentElement.dataset.state = "ready"; });
}
async function start() {
  connect();
  await inSlices(reading());
  document.title = $("title").textContent = visible(about.title.slice(0, 300));
  await inSlices(summarising());
  await inSlices(finding());
  showCauses();
  await inSlices(counting());
  await inSlices(listing(rows));
  setView(0, duration);
  readColours();
  chooseLanes();
  showRows();
  await followAddress();
}

addEventListener("DOMContentLoaded", start);
