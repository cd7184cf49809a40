// Finds what a promise waits for, and the causes of everything that is pending.
// Waits
/** The promises and gates that hold a promise or a gate up directly. */
function awaited(p) {
  const isEnded = (q) => q.outcome && !isUnfinished(q);
  if (p.isGate) return [...p.inside].flatMap((place) => place.derived.filter((q) => !q.isObserver && !isEnded(q)));
  const all = p.adopted.concat(p.sources);
  const finishes = p.finishes.filter((q) => !isEnded(q));
  if (state(p) === "unfinished") return [...all.filter(isUnfinished), ...finishes];
  if (!["pending", "released"].includes(state(p))) return [];
  // A cleanup begins when its source has finished.
  const found = all.filter((q) => !q.outcome || (isUnfinished(q) && !p.runs.length));
  return [...found, ...finishes, ...(p.gate && p.gate.queue.has(p) ? [p.gate] : [])];
}
/** Whether the handler has not returned at the end of the recording. */
function isRunning(run) { return run.to === duration; }
/** Sentences on what holds a promise up, apart from other promises and gates. */
function obstacles(p) {
  const kind = state(p), run = p.runs[p.runs.length - 1], found = [];
  if (kind === "unknown" && !p.outcome) return ["Its creation is not in the recording."];
  if (kind === "gate") return [numberOf(p.inside.size, "operation", "operations") + " inside, "
    + number(p.queue.size) + " waiting."];
  if (kind !== "pending" && kind !== "unfinished") return [];
  if (kind === "pending" && !p.gate) found.push(...p.waits.slice(-1).map((wait) => wait.text));
  if (run && isRunning(run)) found.push("Its handler runs" + threadOf(run) + ".");
  else if (isQueued(p)) found.push("Its handler waits for its turn in the context " + p.context + ".");
  if (found.length || awaited(p).length) return found;
  return [kind === "pending" ? "Its owner has not settled it." : "It is settled, and its work has not ended."];
}
/** Why a promise waits for another one or a gate, in a few words. */
function wayTo(p, q) {
  if (q.isGate) return "a place in";
  if (p.isGate) return "inside";
  if (p.finishes.includes(q)) return "the finish of";
  const way = p.adopted.includes(q) ? "adopted" : "";
  return way || (/shield/.test(q.operation) ? "through a shield" : /timeout/.test(q.operation) ? "with a limit" : "");
}
/** The lines below a promise: the promises and gates on its way to the causes, and what holds each of them up. */
function waitLines(p, most) {
  const lines = [], seen = new Set([p]), stack = [];
  const push = (from, depth) => {
    const next = [...new Set(awaited(from))];
    for (let i = next.length - 1; i >= 0; i--) stack.push({ promise: next[i], from, depth });
    return next.length;
  };
  push(p, 0);
  while (stack.length && lines.length < most) {
    const line = stack.pop(), { promise: q, depth } = line;
    line.isAbove = seen.has(q);
    lines.push(line);
    if (line.isAbove) continue;
    seen.add(q);
    for (const text of q.isGate && q.inside.size ? [] : obstacles(q)) lines.push({ text, depth: depth + 1 });
    push(q, awaited(q).length > 1 || q.isGate ? depth + 1 : depth);
  }
  return { lines, rest: stack.length };
}
/** The causes that hold a promise up, as far as a walk of some thousand steps finds them. */
function causesOf(p) {
  const found = new Set(), seen = new Set([p]), stack = [p];
  while (stack.length && seen.size < 5000) {
    const q = stack.pop();
    if (q.cause) found.add(q.cause);
    for (const r of awaited(q)) {
      if (!seen.has(r)) stack.push(r);
      seen.add(r);
    }
  }
  return [...found].sort(byWeight);
}
// Causes of what is pending
/** Each cause: its text, the number of promises behind it, and the rows of promises or of a gate that are its place. */
const causes = [];
const byWeight = (one, other) => causes.indexOf(one) - causes.indexOf(other);
let heldUp = 0;
/** Finds what waits for what, and the rows of the causes. */
function* finding() {
  let count = 0;
  for (const p of order) {
    if (["pending", "unfinished"].includes(state(p))) heldUp += 1;
    else if (!p.isGate && !p.isReleased) continue;
    for (const q of awaited(p)) {
      if (q.behind.at(-1) !== p) q.behind.push(p);
      if (++count % 100 === 0) yield;
    }
  }
  for (const cause of about.causes) {
    cause.members = cause.promises.map((id) => cause.isGate && promise(id).gate || promise(id));
    for (const p of cause.members) p.cause ||= cause;
    causes.push(cause);
  }
}
/**
 * The promises behind a cause, grouped by the place of the program that made them, the largest group first. Some are
 * missing if there are very many.
 */
function groupsBehind(cause) {
  const groups = new Map(), seen = new Set(cause.members), stack = [...cause.members];
  const add = (p) => {
    if (p.isGate || state(p) !== "pending") return;
    const group = entry(groups, p.operation + " " + p.site, { first: p, count: 0 });
    group.count += 1;
  };
  if (cause.members.length > 1) cause.members.forEach(add);
  while (stack.length && seen.size < 200000) {
    for (const q of stack.pop().behind) {
      if (seen.has(q)) continue;
      seen.add(q);
      stack.push(q);
      add(q);
    }
  }
  return { groups: [...groups.values()].sort((one, other) => other.count - one.count), isExact: cause.areAll && !stack.length };
}
