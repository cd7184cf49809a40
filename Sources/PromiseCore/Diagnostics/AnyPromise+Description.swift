extension AnyPromise: CustomDebugStringConvertible {
  /// Describes the promise in one line, followed by the causes of its wait, by everything for which it waits, and by
  /// everything that waits for it:
  ///
  ///     Promise<Int> "total", pending, 2 consumers, map at Shop/Cart.swift:12
  ///       cause: the owner of Promise<Int> "price" made at Shop/Server.swift:40, which is alive and has not settled it
  ///       waits for Promise<[Int]>, all at Shop/Cart.swift:11, 1 of 2 inputs are settled
  ///         waits for Promise<Int> "price", Shop/Server.swift:40
  ///           waits for its owner, made at Shop/Server.swift:40, which is alive and has not settled it
  ///       Promise<String>, pending, map at Shop/Cart.swift:14
  ///       onFulfilled, on the main queue
  ///
  /// For the causes, see ``causes``. At most eight are shown, and none if the next line or the line after it is the
  /// only cause. For the part above, see ``waitsFor``. A settled promise shows there what still runs, until it has
  /// finished (rule 2.11). Below are the promises that links, combinators and owners derive from this one, observers,
  /// and Tasks that wait for the value. Values and errors are described by their own `description`, shortened. Reading
  /// the description does not handle a rejection (rule 7.1). Below a settled promise, only promises that are still
  /// pending are shown. The tree is cut at a depth of 8, at 16 promises below one promise, and at 100 lines, of which 60
  /// show the causes and the part above. A cut is shown as "…".
  ///
  /// May be read from any thread at any time. The promises are read one after the other, so the tree is no snapshot of
  /// one moment.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises above this one, and of links that wait for the
  ///   promises shown.
  public final var debugDescription: String {
    var tree = PromiseTree()
    tree.add(resolved)
    return tree.text
  }

  /// The type, label, state, consumers, operator and creation site.
  package final var line: String { "\(summary), \(origin)" }

  /// The type and the label.
  final var name: String { typeText + (labelInReports.map { " \($0)" } ?? "") }

  /// The label in quotation marks and shortened.
  package final var labelInReports: String? { label.map { quotedLabel($0) } }

  /// The operator and the creation site.
  @inline(never)
  final var origin: String { (operation.map { "\($0.name) at " } ?? "") + createdAt.description }

  /// The operator that made this promise. `nil` if an owner settles it.
  final var operation: Operation? { relaxedState.isEntry ? traits.operation : combination?.operation }

  /// The type, label, state and consumers.
  package final var summary: String {
    let state = acquiredState
    let consumers = state.consumers
    let waiting = consumers == 0 ? "" : ", \(consumers) consumer\(consumers == 1 ? "" : "s")"
    return "\(name), \(stateText(state))\(waiting)"
  }

  private final func stateText(_ state: StateWord) -> String {
    guard state.isDone else { return "pending" }
    guard let error = storedError else { return "fulfilled: \(valueText)" }
    // The error of a ring names the promises in it.
    let isRing = (error as? PromiseError)?.code == .cycle
    let text = oneLine(error, atMost: isRing ? 1_000 : PromiseTree.longest)
    return "\(state.isCancelled ? "cancelled" : "rejected"): \(text)"
  }

  /// The things that wait for this promise, in the order of attachment. At most the given number.
  final func waiting(atMost count: Int) -> (consumers: [Waiting], more: Int) {
    var entries: [AnyPromise] = []
    if acquiredState.isDone {
      forEachPendingBelow { entries.append($0) }
    } else {
      withState { state in
        guard state.isPending else { return }
        entries = list.map(\.strong)
      }
    }
    var found: [Waiting] = []
    var more = 0
    for entry in entries {
      guard let consumer = entry.asWaiting else { continue }
      if found.count < count { found.append(consumer) } else { more += 1 }
    }
    return (found, more)
  }

  /// Something that waits for a promise.
  enum Waiting {
    case promise(AnyPromise)
    /// An observer or a Task, in words.
    case other(String)
  }

  /// This entry, as it is shown below its source. `nil` for an observer of the library, which is not shown.
  private final var asWaiting: Waiting? {
    // Safe, because only a `Follower` has this trait.
    if traits.contains(.follows) { return .promise(unsafe unsafeDowncast(self, to: Follower.self).promise) }
    if !traits.contains(.isObserver) { return .promise(self) }
    if let input = self as? InputObserver { return input.combined.map { .promise($0) } }
    if self is Waiter { return .other("a Task that waits for the value") }
    guard let operation = traits.operation else { return nil }
    let context = locked { unsafe link.pointee.context }
    return .other(operation.name + (context.map { ", on \($0.nameInReports)" } ?? ""))
  }
}

extension AnyPromise {
  /// The label that the program has given this promise, if any.
  public final var label: String? {
    let promise = resolved
    return promise.locked { promise.side?.notes?.label }
  }

  /// Gives this promise a label.
  final func setLabel(_ label: String) {
    let promise = resolved
    promise.locked {
      promise.sideTable.madeNotes.label = label
      promise.side?.finish?.setLabel(label)
    }
    if Diagnostics.hasEnrollments { promise.note(.labeled(label)) }
  }
}

extension Promise {
  /// Gives this promise a label, which descriptions, reports, recordings and traces show. Returns this promise.
  ///
  /// ```swift
  /// let user = server.load(id).map(User.init).labeled("load user")
  /// print(user)  // Promise<User> "load user", pending, map at Shop/Server.swift:12
  /// ```
  ///
  /// The label belongs to this promise, and not to promises that are derived from it. A later label replaces an earlier
  /// one. A label changes nothing else. A promise without a label costs nothing for it.
  ///
  /// - Parameter label: names what the promise stands for. Descriptions show its first 60 characters in one line.
  /// - Complexity: O(1). At most two allocations.
  @discardableResult
  public func labeled(_ label: String) -> Promise {
    setLabel(label)
    return self
  }
}

extension AnyPromise {
  /// Passes a description of this promise to a closure, on a context, once the promise is settled. The closure is not a
  /// consumer (rule 4.0), and does not handle a rejection (rule 7.1).
  package final func describeWhenSettled(
    on context: any ExecutionContext, _ body: @escaping @Sendable (String) -> Void
  ) {
    observe(on: context, [.value, .error, .isNotConsumer]) { from, _ in
      body(from.summary)
      return .nothing
    }
  }
}

/// Describes a value in one line of at most `length` characters, followed by "…" if it was cut. URLs are shortened.
///
/// - Complexity: that of the value's `description`, and O(`length`). Only the first scalars of the description are
///   read, because one character may consist of any number of scalars.
package func oneLine(_ something: Any, atMost length: Int = 200) -> String {
  let text = String(describing: something)
  // Shortens URLs before it cuts the text, because a password that is cut before its `@` could not be recognised.
  let start = text.start(length + 1_000)
  let isCut = start.endIndex < text.endIndex
  let shortened = shorteningURLs(in: start, isCut: isCut)
  let shown = shortened.start(length)
  let line = String(shown.map { $0.isNewline ? " " : $0 })
  return !isCut && shown.endIndex == shortened.endIndex ? line : line + "…"
}

extension String {
  /// Returns the first characters, or fewer if they consist of more than four scalars each.
  ///
  /// - Complexity: O(`length`).
  package func start(_ length: Int) -> Substring {
    // No character is shorter than a byte.
    utf8.count <= length ? self[...] : Substring(unicodeScalars.prefix(4 * length)).prefix(length)
  }
}

/// The operator that made a promise or an observer, for descriptions.
///
/// An entry stores it beside its traits, and the result of a combinator in its combination. A promise that only its
/// owner settles has none.
@usableFromInline
package enum Operation: UInt8, CaseIterable, Sendable {
  // Begins at 1, because traits without an operator have 0 in its place.
  case map = 1
  case then, tap, tapThen, always, alwaysThen, validate, compactMap, asVoid, shielded
  case recover, recoverFailure, rescue, rescueFailure, `catch`, catchThen, catchFailure, mapError, markCancelled
  case asyncMap, asyncTap, asyncAlways, asyncRecover
  case onFulfilled, onRejected, onFailed, onSettled, onProgress
  case run, all, allSettled, asResult, any, race, some
  case chain, delay, `repeat`, forEach, reduce, retry, timeout, timeoutOrNil, traverse, using
  case gate, singleFlight, lazyPromise
  // Named in reports in the place of an operator. No promise has them as its operator.
  case task, timer

  /// The name of the operator, as programs write it.
  package var name: String {
    switch self {
    case .gate: "run of a gate"
    case .singleFlight: "run of a SingleFlight"
    case .lazyPromise: "LazyPromise"
    case .task: "Promise.task"
    case .timer: "a timer"
    default: Self.caseNames[Int(rawValue) - 1]
    }
  }

  /// The description of a case looks its name up, and takes a thousand instructions.
  private static let caseNames = allCases.map { String(describing: $0) }
}
