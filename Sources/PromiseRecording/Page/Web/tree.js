// Shows the tree, searches it, and divides long work into short tasks.
// Text and time
/** Makes characters visible that would change how a text looks, and leaves the rest as it is. */
function visible(text) {
  return text.replace(/[\0-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0))).replace(INVISIBLE, code);
}

const INVISIBLE = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
function code(c) { return "‹U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "›"; }
function brief(text) { return visible(text.length > 160 ? text.slice(0, 159) + "…" : text); }
function name(p) { return p.label ? p.operation + " " + p.label : p.operation; }
/** A duration with three digits and its unit. */
function span(ns) {
  const [unit, size] = ns < 1e3 ? ["ns", 1] : ns < 1e6 ? ["µs", 1e3] : ns < 1e9 ? ["ms", 1e6] : ["s", 1e9];
  return String(Number((ns / size).toPrecision(3))) + " " + unit;
}
function number(value) { return value.toLocaleString("en"); }
// Elements. All text is set as text, never as markup.
const $ = (id) => document.getElementById(id);
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
function mark(p) { return make("span", { className: "mark " + state(p), role: "img", ariaLabel: state(p) }); }
function nameElement(p) {
  if (!p.label) return make("span", { className: "name" }, brief(p.operation));
  return make("span", { className: "name" }, make("span", { className: "operation" }, brief(p.operation)), " ",
    make("b", {}, brief(p.label)));
}
// Work in slices, so that no task keeps the page from answering
const channel = new MessageChannel();
const waiting = [];
let taskBegan = 0;
channel.port1.onmessage = () => waiting.shift()();
/** Runs the steps of a generator, for eight milliseconds at a time. Stops if `isCurrent` returns false. */
async function inSlices(steps, isCurrent = () => true) {
  for (const _ of steps) {
    if (performance.now() - taskBegan < 8) continue;
    await new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(null);
    });
    if (!isCurrent()) return false;
    taskBegan = performance.now();
  }
  return true;
}
// The tree
const ROW = 24;
let rows = [], selected = null, related = new Set(), path = [];
let filter = { text: "", states: new Set() }, search = 0;
/** Lists the promises that the tree shows, in its order. */
function* listing(list) {
  const stack = order.filter((p) => !p.parent && !p.isGate).reverse();
  for (const gate of [...gates.values()].reverse()) stack.push(gate);
  for (const p of order) p.row = -1;
  for (let count = 0; stack.length; count++) {
    const p = stack.pop();
    p.depth = p.parent ? p.parent.depth + 1 : 0;
    if (p.isShown) {
      p.row = list.length;
      list.push(p);
    }
    if (p.isOpen || isFiltered()) for (let i = p.children.length - 1; i >= 0; i--) stack.push(p.children[i]);
    if (count % 200 === 0) yield;
  }
}
function isFiltered() { return filter.text !== "" || filter.states.size > 0; }
/** Marks the promises that the search finds, and shows them below their parents. */
function* matching() {
  const text = filter.text.toLowerCase();
  for (const p of order) p.isShown = false;
  yield;
  for (const p of order) {
    const isWanted = !filter.states.size || filter.states.has(state(p)) || (p.isGate && filter.states.has("pending") && p.queue.size > 0);
    p.isMatch = isWanted && (text === "" || contains(p, text));
    if (p.isMatch) for (let q = p; q && !q.isShown; q = q.parent) q.isShown = true;
    if (p.index % 20 === 0) yield;
  }
}
function contains(p, text) {
  const reason = p.cancel && p.cancel.reason;
  const has = (part) => part && part.toLowerCase().includes(text);
  return [name(p), p.site, p.type, reason, p.text].some(has) || "#" + p.id === text;
}
/** Reads the filter and shows what it finds. Returns false if a later call has taken its place. */
async function applyFilter() {
  const turn = ++search, isCurrent = () => search === turn, list = [];
  const chips = [...$("states").children].filter((chip) => chip.ariaPressed === "true");
  filter = { text: $("search").value, states: new Set(chips.map((chip) => chip.value)) };
  if (!await inSlices(matching(), isCurrent) || !await inSlices(listing(list), isCurrent)) return false;
  rows = list;
  showRows();
  const found = order.reduce((sum, p) => sum + (p.isMatch ? 1 : 0), 0);
  $("count").textContent = isFiltered() ? numberOf(found, "match", "matches") : "";
  return true;
}
function numberOf(count, one, many) { return number(count) + " " + (count === 1 ? one : many); }
function showRows() {
  const scroller = $("scroller");
  $("spacer").style.height = Math.max(0, rows.length * ROW - scroller.clientHeight) + "px";
  // The bands above have no scroll bar. They leave its width free, so that all times are in line.
  $("board").style.setProperty("--bar", scroller.offsetWidth - scroller.clientWidth + "px");
  redraw();
}
/** Opens or folds a promise's children in the tree. */
function fold(p, isOpen) {
  if (!p.children.length || p.isOpen === isOpen || isFiltered()) return;
  p.isOpen = isOpen;
  listAgain();
}
/** Lists the rows at once, after a change that a key or a click has made. */
function listAgain() {
  rows = [];
  for (const _ of listing(rows));
  showRows();
}
/** Writes the rows that are in sight. Elements are used again. */
function drawRows() {
  const tree = $("tree"), top = $("scroller").scrollTop, first = Math.floor(top / ROW);
  const count = Math.max(0, Math.min(rows.length - first, Math.ceil($("scroller").clientHeight / ROW) + 1));
  while (tree.children.length > count) tree.lastChild.remove();
  while (tree.children.length < count) tree.append(make("div", { className: "row", role: "treeitem" }));
  for (let i = 0; i < count; i++) {
    const p = rows[first + i], row = tree.children[i], isSelected = p === selected;
    row.style.transform = "translateY(" + ((first + i) * ROW - top) + "px)";
    row.ariaSelected = isSelected ? "true" : "false";
    const version = [p.id, p.isOpen, p.isMatch, isFiltered()].join();
    if (row.dataset.version !== version) {
      row.dataset.version = version;
      fillRow(row, p);
    }
  }
  const shown = selected && selected.row >= first && selected.row < first + count;
  tree.setAttribute("aria-activedescendant", shown ? "row-" + selected.id : "");
}
function fillRow(row, p) {
  const canFold = p.children.length > 0 && !isFiltered();
  row.id = "row-" + p.id;
  row.dataset.id = p.id;
  row.className = p.isMatch ? "row" : "row aside";
  row.style.paddingLeft = 8 + Math.min(p.depth, 14) * 14 + "px";
  row.ariaLevel = String(p.depth + 1);
  if (canFold) row.ariaExpanded = String(p.isOpen);
  else row.removeAttribute("aria-expanded");
  row.title = visible(name(p).slice(0, 300)) + "\n" + p.site;
  const sign = canFold ? (p.isOpen ? "▾" : "▸") : "";
  row.replaceChildren(make("span", { className: "fold", ariaHidden: "true" }, sign), mark(p), nameElement(p),
    ...badge(p), make("span", { className: "place" }, shortSite(p)));
}
/** The mark of a cause, with the number of promises that wait for it. */
function badge(p) { return p.cause ? [make("span", { className: "badge" }, "cause of " + weight(p.cause))] : []; }
function weight(cause) { return (about.isComplete ? "" : "at least ") + number(cause.count); }
function shortSite(p) { return p.site.slice(p.site.lastIndexOf("/") + 1); }
/** Selects a promise, opens the promises above it, and shows its details. */
function select(p) {
  selected = p;
  related = p ? relatives(p) : new Set();
  path = p ? pathTo(p) : [];
  showDetails();
  if (!p) return redraw();
  const folded = [];
  for (let q = p.parent; q; q = q.parent) if (!q.isOpen) folded.push(q);
  for (const q of folded) q.isOpen = true;
  if (folded.length || p.row < 0) {
    if (p.row < 0 && isFiltered()) clearFilter();
    listAgain();
  }
  const scroller = $("scroller"), top = p.row * ROW, height = scroller.clientHeight;
  if (top < scroller.scrollTop || top + ROW > scroller.scrollTop + height) scroller.scrollTop = top - height / 2;
  if (lastOf(p) < view.from || p.made > view.to) setView(p.made - span0() / 2, p.made + span0() / 2);
  redraw();
}
function clearFilter() {
  search += 1;
  filter = { text: "", states: new Set() };
  for (const p of order) p.isMatch = p.isShown = true;
  $("search").value = $("count").textContent = "";
  for (const chip of $("states").children) chip.ariaPressed = "false";
}
