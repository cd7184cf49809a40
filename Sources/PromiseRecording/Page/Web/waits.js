// Finds what a promise waits for, and the causes of everything that is pending.
// Waits
/** The promises and gates that hold a promise or a gate up directly. */
function awaited(p) {
  const isEnded = (q) => q.outcome && !isUnfinished(q);
  if (p.isGate) return [...p.inside].flatMap((place) => place.derived.filter((q) => !q.isObserver && !isEnded(q)));
  const all = p.adopted.concat(p.sources);
  const finishes = p.finishes.filter((q) => !isEnded(q));
  if (state(p) === "unfinished") return [...all.filter(isUnfinished), ...finishes];
  if (state(p) !== "pending") return [];
  // A cleanup begins when its source has finished.
  const found = all.filter((q) => !q.outcome || (isUnfinished(q) && !p.runs.length));
  return [...found, ...finishes, ...(p.gate && p.gate.queue.has(p) ? [p.gate] : [])];
}
/** Sentences on what holds a promise up, apart from other promises and gates. */
function obstacles(p) {
  const kind = state(p), run = p.runs[p.runs.length - 1], found = [];
  if (kind === "unknown" && !p.outcome) return ["Its creation is not in the recording."];
  if (kind === "gate") return [numberOf(p.inside.size, "operation", "operations") + " inside, "
    + number(p.queue.size) + " waiting."];
  if (kind !== "pending" && kind !== "unfinished") return [];
  if (kind === "pending" && !p.gate) found.push(...p.waits.slice(-1).map((wait) => wait.text));
  if (run && run.to === duration) found.push("Its handler runs" + threadOf(run) + ".");
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
/** Each distinct cause: a promise or a gate, a sentence, and the pending promises behind it. */
const causes = [];
const byWeight = (one, other) => other.count - one.count || one.promise.made - other.promise.made;
let heldUp = 0;
/** Finds the causes: the ends of all chains of waits, and one thing of each ring. */
function* finding() {
  const open = order.filter((p) => ["pending", "unfinished", "gate"].includes(state(p)));
  heldUp = open.filter((p) => !p.isGate).length;
  const ends = new Set(), marked = new Set();
  let count = 0;
  for (const p of open) {
    const next = awaited(p);
    for (const q of next) {
      if (q.behind.at(-1) !== p) q.behind.push(p);
      if (!q.outcome && state(q) === "unknown") ends.add(q);
      if (++count % 100 === 0) yield;
    }
    if (!next.length && (!p.isGate || p.queue.size)) ends.add(p);
    if (++count % 100 === 0) yield;
  }
  const texts = new Map();
  for (const p of ends) {
    // Promises that wait for the same thing, which is no promise, have one cause.
    const text = obstacles(p)[0], isThing = !p.isGate && p.waits.length > 0 && p.waits.at(-1).text === text;
    const cause = isThing ? entry(texts, text, { promise: p, text, members: [], count: 0, isExact: true })
      : { promise: p, text, members: [], count: 0, isExact: true };
    if (!cause.members.length) causes.push(cause);
    cause.members.push(p);
    p.cause = cause;
    yield* marking(p, marked);
  }
  for (const p of open) {
    if (!marked.has(p) && (!p.isGate || p.queue.size)) yield* marking(ringFrom(p), marked);
    if (++count % 100 === 0) yield;
  }
  yield* weighing();
  causes.sort(byWeight);
}
function* marking(p, marked) {
  const stack = [p];
  for (let count = 1; stack.length; count++) {
    const q = stack.pop();
    if (!marked.has(q)) for (const waiting of q.behind) stack.push(waiting);
    marked.add(q);
    if (count % 100 === 0) yield;
  }
}
/** Follows a promise that only leads to a ring, and returns one thing of the ring: a gate, if one is there. */
function ringFrom(p) {
  const path = [], places = new Map();
  let at = p;
  while (!places.has(at)) {
    places.set(at, path.length);
    path.push(at);
    at = awaited(at)[0];
  }
  const ring = path.slice(places.get(at)), head = ring.find((q) => q.isGate) || at;
  const text = head.isGate ? "The operation inside waits for a place in it." : "It waits for itself.";
  head.cause = { promise: head, text, members: [head], count: 0, isExact: true };
  causes.push(head.cause);
  return head;
}
/** Counts the promises behind each cause. All counts together take a bounded number of steps. */
function* weighing() {
  let steps = 1e6, turn = 0;
  for (const cause of causes) {
    const stack = [...cause.members];
    turn += 1;
    for (const p of stack) p.stamp = turn;
    while (stack.length) {
      for (const q of stack.pop().behind) {
        if (q.stamp === turn) continue;
        q.stamp = turn;
        stack.push(q);
        if (!q.isGate && state(q) === "pending") cause.count += 1;
        if (--steps % 100 === 0) yield;
      }
      if (steps < 0) {
        cause.isExact = false;
        break;
      }
    }
    // The promises that wait for one thing wait themselves.
    if (cause.members.length > 1) cause.count += cause.members.length;
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
  return { groups: [...groups.values()].sort((one, other) => other.count - one.count), isExact: !stack.length };
}
