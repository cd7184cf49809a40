// Finds why a promise was rejected.
// Causes
/** The promise whose rejection or cancellation a promise passed on, or null if it began with the promise itself. */
function cause(p) {
  if (p.outcome !== "rejected" && p.outcome !== "cancelled") return null;
  const ended = (other) => other !== p && other.outcome === p.outcome && other.settled <= p.settled;
  const adopted = p.adopted.find(ended);
  if (adopted) return adopted;
  const sources = p.sources.filter(ended).sort((one, other) => one.settled - other.settled);
  // A handler that ran has made an error of its own, unless it is that of the source.
  if (p.runs.length) return sources.find((source) => source.text !== null && source.text === p.text) || null;
  return sources[0] || null;
}
/** The promises through which a rejection came, the first one first. */
function pathTo(p) {
  const path = new Set();
  for (let at = p; at && !path.has(at); at = cause(at)) path.add(at);
  return [...path].reverse();
}
/** Lists the promises that follow from one, with depths. `next` returns those that follow directly. */
function walk(p, next, most) {
  const found = [], seen = new Set([p]), stack = next(p).map((q) => [q, 1]).reverse();
  while (stack.length && found.length < most) {
    const [q, depth] = stack.pop();
    if (seen.has(q)) continue;
    seen.add(q);
    found.push({ promise: q, depth });
    const following = next(q);
    const below = following.length > 1 ? depth + 1 : depth;
    for (let i = following.length - 1; i >= 0; i--) stack.push([following[i], below]);
  }
  return found;
}
function passedOnBy(p) { return [...p.derived, ...p.adopters].filter((q) => cause(q) === p); }
/** The promises that are drawn clearly while one is selected: its chain, and what settled it. */
function relatives(p) {
  const near = [...p.adopted, ...p.sources, ...p.derived].slice(0, 500);
  const found = new Set([p, ...pathTo(p), ...chainTo(p), ...near]);
  for (const item of walk(p, passedOnBy, 200)) found.add(item.promise);
  return found;
}
/** The chain of first sources that leads to a promise, the oldest first. */
function chainTo(p) {
  const chain = new Set();
  for (let q = p; q && !chain.has(q); q = q.sources[0]) chain.add(q);
  return [...chain].reverse();
}
