// Draws the runs of handlers and the promises' bars.
// Handlers and promises
function namesWidth() { return $("tree").offsetWidth; }
function drawLanes() {
  const { g, width, height } = surface($("lanes").firstElementChild), left = namesWidth(), room = width - left;
  drawGrid(g, left, room, height);
  lanes.forEach((lane, i) => {
    const y = 4 + i * LANE;
    g.fillStyle = colours.dim;
    g.fillText(brief(lane.name).slice(0, 60), 12, y + LANE / 2, left - 24);
    g.save();
    g.beginPath();
    g.rect(left, y, room, LANE);
    g.clip();
    g.globalAlpha = selected ? 0.4 : 1;
    g.fillStyle = colours.accent;
    const pixel = span0() / room;
    let drawn = -1;
    for (let k = firstRun(lane.runs); k < lane.runs.length && lane.runs[k].from <= view.to; k++) {
      const run = lane.runs[k];
      // It would be hidden: it ends within the pixel in which the last one was drawn.
      if (run.to < drawn) continue;
      drawRun(g, run, left + toX(run.from, room), left + toX(run.to, room), y);
      drawn = run.from + pixel;
    }
    g.globalAlpha = 1;
    for (const p of related) {
      g.fillStyle = p === selected ? colours.text : colours.accent;
      for (const run of p.runs) {
        if (run.lanes.includes(lane)) drawRun(g, run, left + toX(run.from, room), left + toX(run.to, room), y);
      }
    }
    g.restore();
  });
}
/** Draws a run. One that runs inside another is lower than it. */
function drawRun(g, run, from, to, y) {
  const inset = 3 + run.depth * 2, gap = to - from > 3 ? 1 : 0;
  g.fillRect(from, y + inset, Math.max(to - from - gap, 1), LANE - 2 * inset + 2);
}
/** The index of the first run that begins at a time or later. Runs of a lane begin in order. */
function position(runs, time) {
  let low = 0, high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle].from < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
/** The index of the first run that can reach into the view. Those inside others may follow one that ends later. */
function firstRun(runs) {
  let first = position(runs, view.from);
  while (first > 0 && (runs[first - 1].to >= view.from || runs[first - 1].depth > 0)) first -= 1;
  return first;
}
function drawBars() {
  const { g, width, height } = surface($("bars")), top = $("scroller").scrollTop;
  drawGrid(g, 0, width, height);
  const first = Math.floor(top / ROW), last = Math.min(rows.length, first + Math.ceil(height / ROW) + 1);
  for (let i = first; i < last; i++) drawBar(g, rows[i], i * ROW - top, width);
  drawPath(g, width, top);
}
/** Draws the time in which a promise was pending, the waiting and the runs of its handler, and its end. */
function drawBar(g, p, y, width) {
  const middle = y + ROW / 2, kind = state(p), from = toX(p.made, width), to = Math.max(toX(endOf(p), width), from + 1);
  const part = (start, end, height, colour) => {
    const x = Math.max(toX(start, width), -5);
    g.fillStyle = colour;
    g.fillRect(x, middle - height / 2, Math.max(Math.min(toX(end, width), width + 5) - x, 1.5), height);
  };
  if (p === selected) {
    g.fillStyle = colours.chosen;
    g.fillRect(0, y, width, ROW);
  }
  g.globalAlpha = p.isMatch ? 1 : 0.4;
  if (kind === "gate") drawGate(g, p, y, width);
  else if (p.unfinished < 0 || p.settled >= 0) part(p.made, endOf(p), 2, colours[p.outcome || kind]);
  if (p.unfinished >= 0) part(p.settled >= 0 ? p.settled : p.unfinished, lastOf(p), 4, colours.unfinished);
  for (const run of p.runs) {
    if (run.queued !== null) part(run.queued, run.from, 6, colours.queue);
    part(run.from, run.to, 12, colours.accent);
  }
  if (isQueued(p)) part(queuedSince(p), duration, 6, colours.queue);
  if ((p.outcome || kind === "pending") && to >= -8 && from <= width) {
    drawEnd(g, p.outcome || kind, Math.min(to, width), middle);
  }
  if (kind === "unfinished" && view.to >= duration) drawEnd(g, kind, width, middle);
  g.globalAlpha = 1;
}
/** Draws how many operations are inside a gate, and above them how many wait. One step of a pixel is enough. */
function drawGate(g, gate, y, width) {
  const { steps, most } = gate, pixel = span0() / width, room = ROW - 4;
  const tall = (count) => count && Math.max(2, count / most * room);
  for (let k = Math.max(0, position(steps, view.from) - 1); k < steps.length && steps[k].from <= view.to;) {
    const next = Math.max(k + 1, position(steps, steps[k].from + pixel));
    const x = Math.max(0, toX(steps[k].from, width));
    const end = Math.min(width, next < steps.length ? toX(steps[next].from, width) : toX(duration, width));
    const shown = steps[next - 1], inside = Math.min(room - 2, tall(shown.inside)), base = y + ROW - 2 - inside;
    g.fillStyle = colours.accent;
    g.fillRect(x, base, end - x, inside);
    const waiting = Math.min(room - inside, tall(shown.waiting));
    g.fillStyle = colours.pending;
    g.fillRect(x, base - waiting, end - x, waiting);
    k = next;
  }
}
/** Draws the mark of a state, and an arrow for a promise that is pending. */
function drawEnd(g, kind, x, y) {
  g.fillStyle = g.strokeStyle = colours[kind];
  g.beginPath();
  if (kind === "rejected") for (const [dx, dy] of [[0, -5], [5, 0], [0, 5], [-5, 0]]) g.lineTo(x + dx, y + dy);
  else if (kind === "pending" || kind === "unfinished") for (const [dx, dy] of [[0, 0], [-7, -4], [-7, 4]]) g.lineTo(x + dx, y + dy);
  else g.arc(x, y, 4, 0, 7);
  if (kind === "cancelled") {
    g.fillStyle = colours.paper;
    g.lineWidth = 3;
    g.stroke();
  }
  g.fill();
}
/** Connects the selected promise with those from which its outcome came, as far as they are in sight. */
function drawPath(g, width, top) {
  g.strokeStyle = selected ? colours[state(selected)] : colours.line;
  g.lineWidth = 1;
  for (let i = 1; i < path.length; i++) {
    const [one, other] = [path[i - 1], path[i]];
    if (one.row < 0 || other.row < 0) continue;
    const x = toX(one.settled, width), y = (row) => row * ROW - top + ROW / 2;
    g.beginPath();
    g.moveTo(x, y(one.row));
    g.lineTo(x, y(other.row));
    g.lineTo(toX(other.settled, width), y(other.row));
    g.stroke();
  }
}
