// Written by Scripts/generate-page.py from the files in the folder Web. Do not edit it: `make page`.

/// The page's own source: HTML, a style sheet and a script, without the data of a recording.
enum PageSource {
  /// The page up to its data. The script waits until the browser has read the data, which follows.
  static let start = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <link rel="icon" href="data:,">
    <title>Recording of promises</title>
    <style>
    :root {
    color-scheme: light dark; --bar: 0px; --names: 40%;
    --paper: #fff; --panel: #f6f7f9; --text: #1c2230; --dim: #626b7c; --line: #e1e4ea; --chosen: #e4ecfb;
    --accent: #3a6cc9; --queue: #b9cbed; --fulfilled: #2e8b57; --rejected: #c8372d; --pending: #b26b00; --unfinished: #7d4bb0;
    --cancelled: #7b8292; --observer: #9aa1af;
    }
    @media (prefers-color-scheme: dark) {
    :root {
    --paper: #14161b; --panel: #1b1e25; --text: #e3e6ed; --dim: #98a1b1; --line: #2c313b; --chosen: #243350;
    --accent: #6d9bf1; --queue: #34486f; --fulfilled: #55b382; --rejected: #f0716b; --pending: #dca544; --unfinished: #b793e6;
    --cancelled: #8b92a3; --observer: #6d7585;
    }
    }
    * { box-sizing: border-box; }
    body {
    height: 100vh; margin: 0; display: grid; grid-template: auto auto minmax(0, 1fr) auto / minmax(0, 1fr);
    background: var(--paper); color: var(--text); font: 13px/1.45 system-ui, "Liberation Sans", sans-serif;
    }
    button, input, select {
    font: inherit; color: inherit; background: var(--paper); padding: 2px 9px; border: 1px solid var(--line);
    border-radius: 6px;
    }
    button, select { cursor: pointer; } button:hover { border-color: var(--dim); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    main { grid-row: 3; } footer { grid-row: 4; }
    header {
    display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 10px 16px;
    background: var(--panel); border-bottom: 1px solid var(--line);
    }
    h1 { margin: 0; font-size: 15px; font-weight: 600; overflow-wrap: anywhere; max-width: 60ch; }
    #summary { margin: 0; color: var(--dim); flex: 1; white-space: nowrap; }
    #search { width: 20ch; } #count { min-width: 11ch; }
    .chip { display: inline-flex; align-items: center; gap: 6px; border-radius: 99px; }
    .chip[aria-pressed=true] { background: var(--chosen); border-color: var(--accent); }
    .mark { flex: none; display: inline-block; width: 9px; height: 9px; border-radius: 50%; border: 2px solid; }
    .mark.fulfilled { color: var(--fulfilled); background: currentColor; }
    .mark.rejected { color: var(--rejected); background: currentColor; border-radius: 0; rotate: 45deg; scale: .8; }
    .mark.cancelled {
    color: var(--cancelled);
    background: linear-gradient(45deg, transparent 36%, currentColor 36%, currentColor 64%, transparent 64%);
    }
    .mark.pending { color: var(--pending); }
    .mark.unfinished { color: var(--unfinished); background: linear-gradient(90deg, currentColor 50%, transparent 50%); }
    .mark.gate { color: var(--accent); border-radius: 2px; }
    .mark.observer, .mark.unknown, .mark.released { color: var(--observer); scale: .6; }
    #causes { padding: 8px 16px; border-bottom: 1px solid var(--line); max-height: 30vh; overflow: auto; }
    #causes:not([hidden]) { display: block; }
    #causes > div { display: flex; align-items: center; gap: 16px; } #causes h2 { margin: 0; font-size: 13px; }
    .badge, .way { flex: none; font-size: 12px; } .way { color: var(--dim); }
    .badge { padding: 0 7px; border-radius: 99px; background: var(--chosen); border: 1px solid var(--line); }
    .why { color: var(--dim); overflow-wrap: anywhere; unicode-bidi: isolate; }
    .badge:empty { display: none; } .row .name { flex-shrink: 1; } .row .place { flex-shrink: 9; min-width: 0; }
    #roots li > button { flex-wrap: wrap; } #roots .why { order: 1; width: 100%; padding-left: 16px; }
    #roots { margin-bottom: 6px; border-left: 3px solid var(--pending); }
    main { display: grid; grid-template-columns: minmax(0, 1fr) 380px; min-height: 0; }
    #board { display: grid; grid-template-rows: 44px 24px auto minmax(0, 1fr); min-height: 0; }
    .band {
    display: grid; grid-template: minmax(0, 1fr) / var(--names) minmax(0, 1fr); min-height: 0;
    border-bottom: 1px solid var(--line); padding-right: var(--bar);
    }
    .band > :first-child { padding: 0 12px; display: flex; align-items: center; gap: 8px; color: var(--dim); }
    canvas { display: block; width: 100%; height: 100%; }
    #lanes { max-height: 134px; border-bottom: 1px solid var(--line); background: var(--panel); cursor: pointer; }
    #lanes, #scroller {
    overflow: hidden scroll; min-height: 0; scrollbar-width: thin; scrollbar-color: var(--line) transparent;
    }
    #view { position: sticky; top: 0; height: 100%; display: grid; grid-template-columns: var(--names) minmax(0, 1fr); }
    #tree { position: relative; overflow: hidden; border-right: 1px solid var(--line); }
    #tree:focus-visible { outline-offset: -2px; }
    #zoom { margin-left: auto; } #bars { cursor: pointer; } #overview { cursor: crosshair; }
    .row { position: absolute; left: 0; right: 0; height: 24px; padding-right: 10px; white-space: nowrap; }
    .row:hover { background: var(--panel); }
    .row[aria-selected=true], li[aria-current] > button, li > button:hover { background: var(--chosen); }
    .row.aside { opacity: .55; }
    .fold { flex: none; width: 14px; text-align: center; color: var(--dim); cursor: pointer; }
    .name, .place { overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
    .operation, .place, #hint, #count, footer, dt { color: var(--dim); }
    .place { margin-left: auto; padding-left: 12px; font-size: 12px; min-width: 9ch; text-align: right; }
    aside { border-left: 1px solid var(--line); overflow: auto; padding: 14px 16px 24px; background: var(--panel); }
    aside h2 { margin: 0 0 2px; font-size: 15px; }
    h2, dd, pre { overflow-wrap: anywhere; unicode-bidi: isolate; }
    aside h3 { margin: 18px 0 5px; font-size: 12px; font-weight: 600; color: var(--dim); }
    header > div, .row, .state, li > button, li > span { display: flex; align-items: center; gap: 7px; }
    dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 3px 14px; margin: 12px 0 0; }
    dd { margin: 0; } aside p { margin: 4px 0; }
    pre {
    margin: 0; padding: 8px 10px; background: var(--paper); border: 1px solid var(--line); border-radius: 6px;
    font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; max-height: 240px; overflow: auto;
    }
    ul { list-style: none; margin: 0; padding: 0; } li { padding-left: calc(var(--depth, 0) * 14px); }
    li > button, li > span { width: 100%; padding: 3px 6px; border: 0; background: none; text-align: left; }
    li .place { min-width: 0; }
    footer { padding: 5px 16px; border-top: 1px solid var(--line); font-size: 12px; }
    footer span { margin-right: 18px; white-space: nowrap; }
    kbd { font: inherit; border: 1px solid var(--line); border-radius: 4px; padding: 0 5px; background: var(--panel); }
    @media (max-width: 900px) {
    main { grid-template: minmax(0, 3fr) minmax(0, 2fr) / minmax(0, 1fr); }
    aside { border-left: 0; border-top: 1px solid var(--line); }
    #all, #chosen { display: none; } #states { flex-wrap: wrap; } .row .place, #causes .place { display: none; }
    #zoom { white-space: nowrap; } .band label { font-size: 0; } .band select { font-size: 13px; }
    }
    </style>
    </head>
    <body>
    <header>
      <h1 id="title"></h1>
      <p id="summary" role="status">Reading the recording …</p>
      <div id="states" role="group" aria-label="Show only these promises"></div>
      <div>
        <input id="search" type="search" placeholder="Search" maxlength="200" spellcheck="false"
          aria-label="Search labels, operations, sites, types, reasons and texts">
        <output id="count" for="search"></output>
      </div>
    </header>
    <section id="causes" aria-labelledby="pending" hidden>
      <div><h2 id="pending"></h2><button id="only">Pending only</button></div>
      <ul id="list"></ul>
    </section>
    <main>
      <section id="board" aria-label="Promises and their timeline">
        <div class="band"><div><label>Handlers by <select id="grouping">
            <option value="contexts">context</option><option value="threads">thread</option>
          </select></label><span id="zoom" role="group" aria-label="Zoom">
          <button id="out" aria-label="Zoom out">−</button> <button id="in" aria-label="Zoom in">+</button>
          <button id="all">All</button> <button id="chosen">Selection</button></span></div>
          <canvas id="overview" role="img" aria-label="All handlers, and the part that is shown"></canvas></div>
        <div class="band"><span>Promises</span><canvas id="axis" role="img" aria-label="Time axis"></canvas></div>
        <div id="lanes"><canvas role="img" aria-label="Runs of handlers"></canvas></div>
        <div id="scroller" tabindex="-1">
          <div id="view">
            <div id="tree" role="tree" tabindex="0" aria-label="Promises"></div>
            <canvas id="bars" role="img" aria-label="The time in which each promise was pending"></canvas>
          </div>
          <div id="spacer"></div>
        </div>
      </section>
      <aside id="details" aria-label="Details"><p id="hint">Select a promise to see its details.</p></aside>
    </main>
    <footer>
      <span><kbd>/</kbd> search</span><span><kbd>n</kbd> next match</span><span><kbd>p</kbd> pending only</span>
      <span><kbd>↑</kbd> <kbd>↓</kbd> select</span> <span><kbd>←</kbd> <kbd>→</kbd> fold</span>
      <span><kbd>+</kbd> <kbd>−</kbd> <kbd>Enter</kbd> zoom</span> <span><kbd>,</kbd> <kbd>.</kbd> move</span>
    </footer>
    <noscript>This page needs JavaScript to show the recording.</noscript>
    <script>
    "use strict";
    const STATES = ["fulfilled", "rejected", "cancelled", "pending", "unfinished"];
    const promises = new Map();
    const order = [];
    const strings = [];
    const threads = new Map();
    const contexts = new Map(), freeLanes = new Map();
    const gates = new Map();
    const stacks = new Map();
    let duration = 1, about = {};
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
    function running(thread) {
    const stack = stacks.get(thread);
    return stack && stack.length ? stack[stack.length - 1] : null;
    }
    const READERS = [
    function made(time, thread, id, operation, type, site, isObserver, context, sources) {
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
    const queuedSince = (p) => p.context && p.sources.length === 1 && p.sources[0].settled >= 0
    ? Math.max(p.made, p.sources[0].settled) : null;
    function isQueued(p) { return !p.outcome && !p.runs.length && queuedSince(p) !== null; }
    function state(p) {
    if (p.isGate) return "gate";
    if (isUnfinished(p)) return "unfinished";
    return p.outcome || (p.isObserver ? "observer" : p.isReleased ? "released" : p.isMade || p.isOlder ? "pending"
    : "unknown");
    }
    function isUnfinished(p) { return p.unfinished >= 0 && p.finished < 0; }
    function lastOf(p) { return isUnfinished(p) ? duration : Math.max(endOf(p), p.finished); }
    function endOf(p) {
    if (p.settled >= 0) return p.settled;
    if (p.finished >= 0) return p.finished;
    return !p.isObserver ? duration : p.runs.length ? p.runs[p.runs.length - 1].to : p.made;
    }
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
    READERS[kind](now, ...values.slice(0, 7), values.slice(7));
    if (++count % 50 === 0) yield;
    }
    }
    for (const stack of stacks.values()) for (const run of stack) run.to = duration;
    for (const cause of about.causes) cause.promises.forEach(promise);
    for (const id of about.released) promise(id).isReleased = true;
    for (const id of about.olderPending) Object.assign(promise(id), { isMade: false, isOlder: true });
    for (const p of about.olderUnfinished.map(promise)) {
    p.isMade = false;
    if (p.unfinished < 0 && p.finished < 0) p.unfinished = 0;
    }
    yield* placing();
    }
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
    function headOfChain(input) {
    let head = input;
    for (let steps = 0; steps < 100; steps++) {
    if (head.links !== 1) return null;
    if (head.sources.length !== 1) return head;
    head = head.sources[0];
    }
    return null;
    }
    function cause(p) {
    if (p.outcome !== "rejected" && p.outcome !== "cancelled") return null;
    const ended = (other) => other !== p && other.outcome === p.outcome && other.settled <= p.settled;
    const adopted = p.adopted.find(ended);
    if (adopted) return adopted;
    const sources = p.sources.filter(ended).sort((one, other) => one.settled - other.settled);
    if (p.runs.length) return sources.find((source) => source.text !== null && source.text === p.text) || null;
    return sources[0] || null;
    }
    function pathTo(p) {
    const path = new Set();
    for (let at = p; at && !path.has(at); at = cause(at)) path.add(at);
    return [...path].reverse();
    }
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
    function relatives(p) {
    const near = [...p.adopted, ...p.sources, ...p.derived].slice(0, 500);
    const found = new Set([p, ...pathTo(p), ...chainTo(p), ...near]);
    for (const item of walk(p, passedOnBy, 200)) found.add(item.promise);
    return found;
    }
    function chainTo(p) {
    const chain = new Set();
    for (let q = p; q && !chain.has(q); q = q.sources[0]) chain.add(q);
    return [...chain].reverse();
    }
    function awaited(p) {
    const isEnded = (q) => q.outcome && !isUnfinished(q);
    if (p.isGate) return [...p.inside].flatMap((place) => place.derived.filter((q) => !q.isObserver && !isEnded(q)));
    const all = p.adopted.concat(p.sources);
    const finishes = p.finishes.filter((q) => !isEnded(q));
    if (state(p) === "unfinished") return [...all.filter(isUnfinished), ...finishes];
    if (!["pending", "released"].includes(state(p))) return [];
    const found = all.filter((q) => !q.outcome || (isUnfinished(q) && !p.runs.length));
    return [...found, ...finishes, ...(p.gate && p.gate.queue.has(p) ? [p.gate] : [])];
    }
    function isRunning(run) { return run.to === duration; }
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
    function wayTo(p, q) {
    if (q.isGate) return "a place in";
    if (p.isGate) return "inside";
    if (p.finishes.includes(q)) return "the finish of";
    const way = p.adopted.includes(q) ? "adopted" : "";
    return way || (/shield/.test(q.operation) ? "through a shield" : /timeout/.test(q.operation) ? "with a limit" : "");
    }
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
    const causes = [];
    const byWeight = (one, other) => causes.indexOf(one) - causes.indexOf(other);
    let heldUp = 0;
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
    function visible(text) {
    return text.replace(/[\0-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0))).replace(INVISIBLE, code);
    }
    const INVISIBLE = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
    function code(c) { return "‹U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "›"; }
    function brief(text) { return visible(text.length > 160 ? text.slice(0, 159) + "…" : text); }
    function name(p) { return p.label ? p.operation + " " + p.label : p.operation; }
    function span(ns) {
    const [unit, size] = ns < 1e3 ? ["ns", 1] : ns < 1e6 ? ["µs", 1e3] : ns < 1e9 ? ["ms", 1e6] : ["s", 1e9];
    return String(Number((ns / size).toPrecision(3))) + " " + unit;
    }
    function number(value) { return value.toLocaleString("en"); }
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
    const channel = new MessageChannel();
    const waiting = [];
    let taskBegan = 0;
    channel.port1.onmessage = () => waiting.shift()();
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
    const ROW = 24;
    let rows = [], selected = null, related = new Set(), path = [];
    let filter = { text: "", states: new Set() }, search = 0;
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
    $("board").style.setProperty("--bar", scroller.offsetWidth - scroller.clientWidth + "px");
    redraw();
    }
    function fold(p, isOpen) {
    if (!p.children.length || p.isOpen === isOpen || isFiltered()) return;
    p.isOpen = isOpen;
    listAgain();
    }
    function listAgain() {
    rows = [];
    for (const _ of listing(rows));
    showRows();
    }
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
    function badge(p) { return p.cause ? [make("span", { className: "badge" }, "cause of " + weight(p.cause))] : []; }
    function weight(cause) { return (about.isComplete ? "" : "at least ") + number(cause.count); }
    function shortSite(p) { return p.site.slice(p.site.lastIndexOf("/") + 1); }
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
    const LANE = 18;
    const view = { from: 0, to: 1 };
    const colours = {};
    const density = { runs: new Float64Array(600), rejections: new Float64Array(600) };
    let lanes = [], isDrawn = false;
    function span0() { return view.to - view.from; }
    function setView(from, to) {
    const length = Math.min(Math.max(to - from, 100), duration);
    view.from = Math.min(Math.max(from, 0), duration - length);
    view.to = view.from + length;
    redraw();
    }
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
    function drawRun(g, run, from, to, y) {
    const inset = 3 + run.depth * 2, gap = to - from > 3 ? 1 : 0;
    g.fillRect(from, y + inset, Math.max(to - from - gap, 1), LANE - 2 * inset + 2);
    }
    function position(runs, time) {
    let low = 0, high = runs.length;
    while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle].from < time) low = middle + 1;
    else high = middle;
    }
    return low;
    }
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
    function showDetails() {
    const panel = $("details"), p = selected;
    panel.scrollTop = 0;
    if (!p) return panel.replaceChildren(make("p", { id: "hint" }, "Select a promise to see its details."));
    panel.replaceChildren(make("h2", { id: "selected" }, brief(p.label || p.operation)),
    make("div", { className: "state" }, mark(p), sentence(p)), facts(p), ...textOf(p), ...reasonOf(p),
    ...waitsOf(p), ...heldOf(p), ...pathOf(p), ...chainOf(p));
    }
    function sentence(p) {
    const kind = p.outcome || state(p);
    if (kind === "gate") return "Gate. " + obstacles(p)[0];
    if (kind === "observer") return "Observer";
    if (kind === "unknown" && p.finished >= 0) return "Settled before the recording, and finished at " + span(p.finished);
    if (kind === "unknown") return "Not in the recording";
    if (kind === "released") return "Released. No code can see it any more, but what it stood for may go on.";
    if (kind === "unfinished" && p.settled < 0) return "Settled before the recording, and has not finished.";
    const word = kind[0].toUpperCase() + kind.slice(1);
    const finish = isUnfinished(p) ? ", and has not finished for " + span(duration - p.settled)
    : p.finished >= 0 ? ", and finished " + span(p.finished - p.settled) + " later" : "";
    return word + (kind === "pending" ? " for " : p.isMade ? " after " : " at ") + span(endOf(p) - p.made) + finish;
    }
    function facts(p) {
    const run = p.runs[p.runs.length - 1];
    const list = [["Operation", p.operation], ["Label", p.label], ["Type", p.type], ["Created at", p.site]];
    list.push([p.isGate ? "First used after" : "Created after", p.isMade ? span(p.made) : ""]);
    if (p.isGate) list.push(["Places", p.places > 1e9 ? "no limit" : number(p.places)]);
    else list.push(["Number", "#" + p.id]);
    if (run) {
    const verb = isRunning(run) ? "has been running for " : "ran ";
    list.push(["Handler", verb + span(run.to - run.from) + " in " + run.context + threadOf(run)]);
    if (run.queued !== null) list.push(["Queued", span(run.from - run.queued)]);
    }
    return make("dl", {}, ...list.filter(([, value]) => value)
    .flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, brief(value))]));
    }
    function textOf(p) {
    if (p.text === null) return [];
    const keep = (text) => text.split(/([\n\t])/).map((part, i) => i % 2 ? part : visible(part)).join("");
    const box = make("pre", { id: "text", tabIndex: 0 }, keep(p.text.slice(0, 2000)));
    const title = make("h3", {}, p.outcome === "fulfilled" ? "Value" : "Error");
    if (p.text.length <= 2000) return [title, box];
    const button = make("button", {}, "Show all " + number(p.text.length) + " characters");
    button.onclick = () => {
    box.textContent = keep(p.text);
    button.remove();
    box.focus();
    };
    return [title, box, make("p", {}, button)];
    }
    function reasonOf(p) {
    if (!p.cancel) return [];
    const title = p.cancel.upstream ? "Cancelled with what it waits for, at " : "Cancelled at ";
    return [make("h3", {}, title + span(p.cancel.time)), make("p", { id: "reason" }, brief(p.cancel.reason))];
    }
    function waitsOf(p) {
    const isOpen = ["pending", "unfinished", "gate"].includes(state(p));
    const ways = isOpen ? waitLines(p, 100) : { lines: [], rest: 0 };
    const own = p.isGate ? [] : obstacles(p).map((text) => make("li", {}, make("span", {}, brief(text))));
    const items = ways.lines.map((line) => line.text
    ? indented(make("li", {}, make("span", { className: "operation" }, brief(line.text))), line.depth)
    : item(line.promise, line.depth, false, line.isAbove ? "shown above" : wayTo(line.from, line.promise)));
    if (!isOpen && (p.sources.length + p.adopted.length > 1 || p.adopted.length)) {
    items.push(...[...p.sources, ...p.adopted].slice(0, 100).map((q) => item(q, 0)));
    }
    if (ways.rest) items.push(make("li", {}, make("span", { className: "operation" }, "… and more")));
    if (!own.length && !items.length) return [];
    const title = isOpen ? "Waits for" : p.isObserver ? "Observes" : "Waited for";
    const found = isOpen ? causesOf(p).filter((cause) => !cause.members.includes(p)) : [];
    return [make("h3", {}, title), make("ul", { id: "roots" }, ...found.slice(0, 5).map((cause) => causeLine(cause))),
    make("ul", { id: "waits" }, ...own, ...items)];
    }
    function heldOf(p) {
    if (!p.cause || !p.behind.length && p.cause.members.length < 2) return [];
    const { groups, isExact } = groupsBehind(p.cause), least = isExact ? "" : "at least ";
    const lines = groups.slice(0, 30).map(({ first, count }) => item(first, 0, false, least + number(count) + " ×"));
    const rest = groups.length > 30 ? [make("li", {}, make("span", {}, number(groups.length - 30) + " more places"))] : [];
    return [make("h3", {}, "Is the cause of " + weight(p.cause) + " pending"),
    make("p", { className: "why" }, visible(p.cause.text)), make("ul", { id: "held" }, ...lines, ...rest)];
    }
    function causeLine(cause) {
    const badge = cause.count > 1 ? weight(cause) + " wait" : "";
    const parts = [make("span", { className: "why" }, visible(cause.text)), make("span", { className: "badge" }, badge)];
    if (!cause.members.length) return make("li", {}, ...parts);
    const button = make("button", {}, mark(cause.members[0]), ...parts);
    button.dataset.id = cause.members[0].id;
    return make("li", {}, button);
    }
    function showCauses() {
    $("causes").hidden = !causes.length;
    const notes = about.omitted ? ["… " + numberOf(about.omitted, "more cause", "more causes")] : [];
    if (!about.isComplete) notes.push("… there may be more causes, and larger numbers of promises");
    $("pending").textContent = numberOf(heldUp, "promise is", "promises are") + " pending or unfinished. "
    + numberOf(causes.length + about.omitted, "cause", "causes") + ":";
    $("list").replaceChildren(...causes.map((cause) => causeLine(cause)),
    ...notes.map((text) => make("li", {}, make("span", {}, text))));
    }
    function pathOf(p) {
    if (p.outcome !== "rejected" && p.outcome !== "cancelled") return [];
    const before = pathTo(p), after = walk(p, passedOnBy, 200);
    const handled = [p, ...after.map((found) => found.promise)].flatMap((q) => q.derived)
    .filter((q) => q.outcome === "fulfilled" && q.runs.length && !q.isObserver).slice(0, 20);
    const title = p.outcome === "rejected" ? "Path of the rejection" : "Path of the cancellation";
    const note = (text) => make("p", { className: "operation" }, text);
    return [make("h3", {}, title), note("Began at " + (before[0].site || "a promise that was not recorded")),
    make("ul", { id: "path" }, ...before.slice(-100).map((q) => item(q, 0, q === p)),
    ...after.map((found) => item(found.promise, found.depth - 1))),
    note(handled.length ? "Handled by" : ""), make("ul", { id: "handled" }, ...handled.map((q) => item(q, 0)))];
    }
    function chainOf(p) {
    const chain = chainTo(p), after = walk(p, (q) => q.derived, 60);
    if (chain.length < 2 && !after.length) return [];
    return [make("h3", {}, chain.length > 30 ? "Chain, the last 30 of " + number(chain.length) : "Chain"),
    make("ul", { id: "chain" }, ...chain.slice(-30).map((q) => item(q, 0, q === p)),
    ...after.map(({ promise: q, depth }) => item(q, depth - 1)))];
    }
    function item(p, depth, isCurrent = false, way = "") {
    const before = way ? [make("span", { className: "way" }, way)] : [];
    const button = make("button", {}, ...before, mark(p), nameElement(p), ...(p.cause ? [make("span", { className: "badge" }, "cause")] : []), make("span", { className: "place" }, shortSite(p)));
    button.dataset.id = p.id;
    const line = indented(make("li", {}, button), depth);
    if (isCurrent) line.setAttribute("aria-current", "true");
    return line;
    }
    function indented(line, depth) {
    line.style.setProperty("--depth", Math.min(depth, 8));
    return line;
    }
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
    function showPendingOnly() {
    const chips = [...$("states").children], wanted = (chip) => chip.value === "pending" || chip.value === "unfinished";
    const isOn = chips.every((chip) => (chip.ariaPressed === "true") === wanted(chip));
    for (const chip of chips) chip.ariaPressed = String(!isOn && wanted(chip));
    return applyFilter();
    }
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
    function onBar(event) {
    const y = event.clientY - $("bars").getBoundingClientRect().top + $("scroller").scrollTop;
    if (rows[Math.floor(y / ROW)]) select(rows[Math.floor(y / ROW)]);
    }
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
    </script>

    """#

  /// The page after its data.
  static let end = #"""
    </body>
    </html>

    """#
}
