// Knows the visible span of time, and draws the overview and the axis.
// The timeline
const LANE = 18;
const view = { from: 0, to: 1 };
const colours = {};
const density = { runs: new Float64Array(600), rejections: new Float64Array(600) };
let lanes = [], isDrawn = false;
function span0() { return view.to - view.from; }
/** Shows a span of time, moved and limited so that it lies within the recording. */
function setView(from, to) {
  const length = Math.min(Math.max(to - from, 100), duration);
  view.from = Math.min(Math.max(from, 0), duration - length);
  view.to = view.from + length;
  redraw();
}
/** Zooms so that the time at a fraction of the width keeps its place. */
function zoom(factor, fraction = 0.5) {
  const at = view.from + span0() * fraction, length = Math.min(Math.max(span0() * factor, 100), duration);
  setView(at - length * fraction, at + length * (1 - fraction));
}
function move(fraction) { setView(view.from + span0() * fraction, view.to + span0() * fraction); }
function zoomTo(p) {
  if (!p) return;
  const length = Math.max(lastOf(p) - p.made, 1000);
  setView(p.made - length * 0.25, p.made + length * 1.25);
}
/** Counts the handlers that run at each part of the recording, for the overview. */
function* counting() {
  const { runs, rejections } = density, last = runs.length - 1;
  for (const p of order) {
    if (p.outcome === "rejected") rejections[Math.min(last, Math.floor(p.settled / duration * runs.length))] += 1;
    for (const run of p.runs) {
      const from = run.from / duration * runs.length, to = run.to / duration * runs.length;
      const first = Math.min(last, Math.floor(from));
      for (let i = first; i <= Math.min(last, to); i++) runs[i] += Math.min(i + 1, to) - Math.max(i, from);
    }
    if (p.index % 20 === 0) yield;
  }
}
function chooseLanes() {
  const groups = $("grouping").value === "threads" ? threads : contexts;
  const sorted = [...groups].sort(([one], [other]) => one < other ? -1 : 1);
  lanes = sorted.flatMap(([, list]) => list).slice(0, 200);
  $("lanes").firstElementChild.style.height = lanes.length * LANE + 8 + "px";
  redraw();
}
function redraw() {
  if (isDrawn) return;
  isDrawn = true;
  requestAnimationFrame(() => {
    isDrawn = false;
    for (const draw of [drawRows, drawOverview, drawAxis, drawLanes, drawBars]) draw();
  });
}
/** Prepares a canvas for the screen's resolution. Returns its context and its size. */
function surface(canvas) {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, 'Liberation Sans', sans-serif";
  g.textBaseline = "middle";
  return { g, width, height };
}
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const key of ["paper", "panel", "text", "dim", "line", "chosen", "accent", "queue", "observer", ...STATES]) {
    colours[key] = style.getPropertyValue("--" + key).trim();
  }
  colours.unknown = colours.released = colours.observer;
  colours.gate = colours.accent;
  redraw();
}
function drawOverview() {
  const { g, width, height } = surface($("overview")), { runs, rejections } = density, base = height - 4;
  const most = Math.max(...runs, 0.001), step = width / runs.length;
  g.fillStyle = colours.accent;
  runs.forEach((value, i) => {
    const bar = value > 0 ? Math.max(1, value / most * (height - 16)) : 0;
    g.fillRect(i * step, base - bar, step + 0.5, bar);
  });
  g.fillStyle = colours.rejected;
  rejections.forEach((value, i) => { if (value) g.fillRect(i * step, 3, Math.max(step, 2), 5); });
  const from = view.from / duration * width, to = view.to / duration * width;
  if (span0() >= duration) return;
  g.globalAlpha = 0.75;
  g.fillStyle = colours.paper;
  g.fillRect(0, 0, from, height);
  g.fillRect(to, 0, width - to, height);
  g.globalAlpha = 1;
  g.strokeStyle = colours.accent;
  g.strokeRect(from + 0.5, 0.5, Math.max(to - from - 1, 2), height - 1);
}
/** Times at which the axis has a line: a round distance apart, at least 90 points. */
function ticks(width) {
  const least = span0() / Math.max(width / 90, 1), power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least);
  const times = [], first = Math.ceil(view.from / step); // Above 2⁵³, adding 1 changes nothing.
  for (let i = 0; i < 1000 && (first + i) * step <= view.to; i++) times.push((first + i) * step);
  return { times, step };
}
function drawAxis() {
  const { g, width, height } = surface($("axis")), { times, step } = ticks(width);
  const [unit, size] = step < 1e3 ? ["ns", 1] : step < 1e6 ? ["µs", 1e3] : step < 1e9 ? ["ms", 1e6] : ["s", 1e9];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  for (const time of times) {
    const x = toX(time, width), label = (time / size).toFixed(digits) + " " + unit;
    g.fillStyle = colours.line;
    g.fillRect(Math.round(x), 0, 1, height);
    g.fillStyle = colours.dim;
    if (x + 5 + g.measureText(label).width < width) g.fillText(label, x + 5, height / 2);
  }
}
function toX(time, width) { return (time - view.from) / span0() * width; }
function drawGrid(g, left, width, height) {
  g.fillStyle = colours.line;
  for (const time of ticks(width).times) g.fillRect(Math.round(left + toX(time, width)), 0, 1, height);
}
