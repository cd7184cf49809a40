// Shows the details of the selected promise.
// Details
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
/** The text of the value or the error. A long one is cut until the reader wants all of it. */
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
/** What a pending promise or a gate waits for, beginning with the causes. Of a settled one, what it waited for. */
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
/** The promises that wait for a cause, as one line for each place of the program that made some. */
function heldOf(p) {
  if (!p.cause || !p.behind.length && p.cause.members.length < 2) return [];
  const { groups, isExact } = groupsBehind(p.cause), least = isExact ? "" : "at least ";
  const lines = groups.slice(0, 30).map(({ first, count }) => item(first, 0, false, least + number(count) + " ×"));
  const rest = groups.length > 30 ? [make("li", {}, make("span", {}, number(groups.length - 30) + " more places"))] : [];
  return [make("h3", {}, "Is the cause of " + weight(p.cause) + " pending"),
    make("p", { className: "why" }, visible(p.cause.text)), make("ul", { id: "held" }, ...lines, ...rest)];
}
/** A line that names a cause, and selects its row. */
function causeLine(cause) {
  const badge = cause.count > 1 ? weight(cause) + " wait" : "";
  const parts = [make("span", { className: "why" }, visible(cause.text)), make("span", { className: "badge" }, badge)];
  if (!cause.members.length) return make("li", {}, ...parts);
  const button = make("button", {}, mark(cause.members[0]), ...parts);
  button.dataset.id = cause.members[0].id;
  return make("li", {}, button);
}
/** Shows the causes above the promises, if anything is pending. */
function showCauses() {
  $("causes").hidden = !causes.length;
  const notes = about.omitted ? ["… " + numberOf(about.omitted, "more cause", "more causes")] : [];
  if (!about.isComplete) notes.push("… there may be more causes, and larger numbers of promises");
  $("pending").textContent = numberOf(heldUp, "promise is", "promises are") + " pending or unfinished. "
    + numberOf(causes.length + about.omitted, "cause", "causes") + ":";
  $("list").replaceChildren(...causes.map((cause) => causeLine(cause)),
    ...notes.map((text) => make("li", {}, make("span", {}, text))));
}
/** The path of a rejection or a cancellation, from where it began to where it ended. */
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
/** A line of a list that selects a promise. */
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
