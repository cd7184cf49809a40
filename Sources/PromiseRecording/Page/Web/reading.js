// Reads the events, and builds the tree.
"use strict";
// The recording. Times are nanoseconds since its beginning.
const STATES = ["fulfilled", "rejected", "cancelled", "pending", "unfinished"];
const promises = new Map();
const order = [];
const strings = [];
const threads = new Map();
const contexts = new Map(), freeLanes = new Map();
// The gates, each of which has a row as a promise has.
const gates = new Map();
// The handlers that run on each thread. An async handler, which may suspend, has a stack of its own, at -id.
const stacks = new Map();
let duration = 1, about = {};
/** Returns the promise with a number. Creates it if its creation was not recorded. */
function promise(id) {
  let found = promises.get(id);
  if (!found) {
    found = {
      id, index: order.length, operation: "promise " + id, label: "", type: "", site: "", made: 0, isMade: false,
      isObserver: false, sources: [], derived: [], adopted: [], adopters: [], waits: [], runs: [],
      context: "", outcome: "", settled: -1, text: null, cancel: null, maker: null, parent: null, children: [],
      links: 0, depth: 0, isOpen: true, isMatch: true, isShown: true, row: -1,
      unfinished: -1, finished: -1, finishes: [], gate: null, isGate: false, behind: [], cause: null,
      isReleased: false, isOlder: false,
    };
    promises.set(id, found);
    order.push(found);
  }
  return found;
}
const threadOf = (run) => run.lanes.length > 1 ? " on thread " + run.thread : ""; // None if it is async.
function end(run, time) {
  run.to = time;
  if (!run.outer) freeLanes.get(run.context).push(run.lanes[0]);
}
/** The innermost handler that runs on a thread. */
function running(thread) {
  const stack = stacks.get(thread);
  return stack && stack.length ? stack[stack.length - 1] : null;
}

const READERS = [
  function made(time, thread, id, operation, type, site, isObserver, context, sources) {
    // Sources first: the tree needs each promise after those from which it derives.
    const from = sources.map(promise), p = promise(id);
    Object.assign(p, {
      operation: strings[operation], type: strings[type], site: strings[site], made: time, isMade: true,
      isObserver: isObserver === 1, sources: from, context: context < 0 ? "" : strings[context],
      maker: running(thread) && running(thread).promise,
    });
    for (const source of from) source.derived.push(p);
    if (!p.isObserver) for (const source of from) source.links += 1;
  },
  function began(time, thread, id, context, isAsync) {
    const p = promise(id), stack = entry(stacks, isAsync ? -id : thread, []);
    const run = { promise: p, thread, context: strings[context], queued: queuedSince(p), from: time, to: -1 };
    run.depth = Math.min(stack.length, 3);
    p.runs.push(run);
    // A handler inside another one of the same context shares its lane.
    run.outer = stack.findLast((outer) => outer.context === run.context);
    stack.push(run);
    const lanes = entry(contexts, run.context, []), free = entry(freeLanes, run.context, []);
    const name = lanes.length ? run.context + " (" + (lanes.length + 1) + ")" : run.context;
    if (!run.outer && !free.length) free.push(lanes[lanes.push({ name, runs: [] }) - 1]);
    run.lanes = [run.outer ? run.outer.lanes[0] : free.pop()];
    if (!isAsync) run.lanes.push(entry(threads, thread, [{ name: "Thread " + thread, runs: [] }])[0]);
    for (const lane of run.lanes) lane.runs.push(run);
  },
  function returned(time, thread, id) {
    const stack = stacks.get(stacks.has(-id) ? -id : thread) || [];
    // Handlers inside it end with it, if they have exited their thread.
    const first = stack.findLastIndex((run) => run.promise.id === id);
    while (first >= 0 && stack.length > first) end(stack.pop(), time);
    stacks.delete(-id);
  },
  function settled(time, thread, id, outcome, text) {
    const p = promise(id);
    Object.assign(p, { settled: time, outcome: STATES[outcome], text: text < 0 ? null : strings[text] });
    if (p.gate) p.gate.settled(p, time);
  },
  function cancelled(time, thread, id, reason, upstream) {
    promise(id).cancel = { time, reason: strings[reason], upstream: upstream === 1 };
  },
  function adopted(time, thread, id, other) {
    promise(id).adopted.push(promise(other));
    promise(other).adopters.push(promise(id));
  },
  function labeled(time, thread, id, label) { promise(id).label = strings[label]; },
  function waits(time, thread, id, text, gate, places) {
    const p = promise(id);
    p.waits.push({ time, text: strings[text] });
    if (Number.isInteger(gate)) gateOf(gate + " " + strings[text], strings[text], places, time).enter(p, time);
  },
  function unfinished(time, thread, id) { promise(id).unfinished = time; },
  function finished(time, thread, id) { promise(id).finished = time; },
  function left(time, thread, id) {
    const p = promise(id);
    if (p.gate) p.gate.leave(p, time);
  },
  function awaits(time, thread, id, other) { promise(id).finishes.push(promise(other)); },
];
/** The row of a gate. Its steps are the numbers of operations inside and waiting, each from a time on. */
function gateOf(key, text, places, time) {
  const known = gates.get(key);
  if (known) return known;
  const [, whole, site] = /^a place in the ([^]*) made at ([^]*)$/.exec(text) || [null, text, ""];
  const [, operation, label] = /^(\w+) "([^]*)"$/.exec(whole) || [null, whole, ""];
  const gate = promise("gate-" + (gates.size + 1));
  gates.set(key, gate);
  const note = (from) => {
    gate.most = Math.max(gate.most, gate.inside.size + gate.queue.size);
    gate.steps.push({ from, inside: gate.inside.size, waiting: gate.queue.size });
  };
  return Object.assign(gate, {
    operation, label, site, made: time, isMade: true, isGate: true, places, steps: [], most: 1,
    inside: new Set(), queue: new Set(),
    enter(p, at) {
      p.gate = gate;
      if (p.operation === "promise") p.operation = "place";
      gate.queue.add(p);
      note(at);
    },
    settled(p, at) {
      if (gate.queue.delete(p) && p.outcome === "fulfilled") gate.inside.add(p);
      note(at);
    },
    leave(p, at) {
      gate.queue.delete(p);
      gate.inside.delete(p);
      note(at);
    },
  });
}
function entry(map, key, initial) {
  if (!map.has(key)) map.set(key, initial);
  return map.get(key);
}
/** The time from which a handler waits for its turn in its context, or null while its source is not settled. */
const queuedSince = (p) => p.context && p.sources.length === 1 && p.sources[0].settled >= 0
  ? Math.max(p.made, p.sources[0].settled) : null;
function isQueued(p) { return !p.outcome && !p.runs.length && queuedSince(p) !== null; }
function state(p) {
  if (p.isGate) return "gate";
  if (isUnfinished(p)) return "unfinished";
  return p.outcome || (p.isObserver ? "observer" : p.isReleased ? "released" : p.isMade || p.isOlder ? "pending"
    : "unknown");
}
/** Whether it is settled, and has not finished at the end of the recording. */
function isUnfinished(p) { return p.unfinished >= 0 && p.finished < 0; }
/** The end of the time in which something of a promise ran. */
function lastOf(p) { return isUnfinished(p) ? duration : Math.max(endOf(p), p.finished); }
function endOf(p) {
  if (p.settled >= 0) return p.settled;
  // It was settled before the oldest event.
  if (p.finished >= 0) return p.finished;
  return !p.isObserver ? duration : p.runs.length ? p.runs[p.runs.length - 1].to : p.made;
}
/** Reads the events, and places the promises in a tree. Each step is short. */
function* reading() {
  about = JSON.parse(document.getElementById("about").textContent);
  duration = Math.max(about.duration, 1);
  let now = 0;
  for (const element of document.querySelectorAll("script.events")) {
    const chunk = JSON.parse(element.textContent);
    element.remove();
    for (const text of chunk.strings) strings.push(text);
    yield;
    let count = 0;
    for (const [kind, since, ...values] of chunk.events) {
      now += since;
      // A combinator may have more sources than a call may have arguments.
      READERS[kind](now, ...values.slice(0, 7), values.slice(7));
      if (++count % 50 === 0) yield;
    }
  }
  for (const stack of stacks.values()) for (const run of stack) run.to = duration;
  // Promises whose events were dropped have rows, too.
  for (const cause of about.causes) cause.promises.forEach(promise);
  for (const id of about.released) promise(id).isReleased = true;
  // Made before the oldest event, and still pending, or not finished.
  for (const id of about.olderPending) Object.assign(promise(id), { isMade: false, isOlder: true });
  for (const p of about.olderUnfinished.map(promise)) {
    p.isMade = false;
    if (p.unfinished < 0 && p.finished < 0) p.unfinished = 0;
  }
  yield* placing();
}
/**
 * Finds the parent of each promise: the promise from which it derives, else the one whose handler made it. A
 * promise with several sources, such as a combinator's, is the parent of the chains that serve only it.
 */
function* placing() {
  for (const p of order) {
    const source = p.sources[0];
    if (p.sources.length === 1 && source.index < p.index) p.parent = source;
    else if (p.maker && p.maker.index < p.index) p.parent = p.maker;
    if (p.sources.length > 1) {
      for (const input of p.sources) {
        const head = headOfChain(input);
        if (head && head.parent === p.parent && head.index < p.index) head.parent = p;
      }
    }
    if (p.index % 50 === 0) yield;
  }
  for (const p of order) {
    if (p.parent) p.parent.children.push(p);
    if (p.index % 200 === 0) yield;
  }
}
/** The first promise of the chain that ends with an input, or null if another promise derives from the chain. */
function headOfChain(input) {
  let head = input;
  for (let steps = 0; steps < 100; steps++) {
    if (head.links !== 1) return null;
    if (head.sources.length !== 1) return head;
    head = head.sources[0];
  }
  return null;
}
