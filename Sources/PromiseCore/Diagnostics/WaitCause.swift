/// The cause of a wait: something other than a promise that has to happen before promises can be settled.
/// ``AnyPromise/causes`` and PromiseRecording's `Diagnostics.causes()` return the causes.
public struct WaitCause: Sendable, Hashable, Identifiable {
  /// Identifies the cause in this process, as long as the thing exists. Equal for equal causes of two calls.
  public let id: String
  /// The kind of thing. ``WaitNode/Kind/promise`` only if promises wait for one another in a ring.
  public let kind: WaitNode.Kind
  /// The operator or the type that made it, as in "map", "ConcurrencyLimit" or "Deferred". `nil` if that is not known.
  public let operation: String?
  /// The place in the source where it was made. `nil` if that is not known.
  public let createdAt: CreationSite?
  /// The label that the program has given it. URLs in it are shortened, unless ``Diagnostics/showsWholeURLs`` is on.
  public let label: String?
  /// The time since the first promise behind it was made: the promise of the owner, handler, Task or timer, or the
  /// first that was found waiting for a gate. `Diagnostics.causes()` visits the oldest promises first. Known of
  /// promises that were made while `Diagnostics.recordsPendingPromises` was on.
  public let age: Duration?
  /// The time since the handler was queued on its context. Of several handlers that one context does not run, the
  /// longest. `nil` for other causes, and unless the handler's promise and the promise above it were made while
  /// `Diagnostics.recordsPendingPromises` was on.
  public let queuedFor: Duration?
  /// Describes the thing in one line.
  public let summary: String
  /// The number of promises that wait for it, directly or not.
  public let promiseCount: Int
}

extension Duration {
  /// The seconds, with at most three decimals. The description of a `Duration` may have sixteen.
  package var inReports: String { "\((self / .milliseconds(1)).rounded() / 1_000) seconds" }
}

extension WaitCause: CustomStringConvertible {
  /// The summary, the number of promises if there are several, the age, and the time in a queue, if they are known, in
  /// one line.
  ///
  ///     the owner of Promise<Int> "refresh" made at Shop/Server.swift:40, which is alive and has not settled it; 1001 promises wait for it; pending for 20.0 seconds
  public var description: String {
    summary + (promiseCount == 1 ? "" : "; \(promiseCount) promises wait for it") + times
  }

  /// Whether both are of one kind and place.
  fileprivate func isLike(_ other: WaitCause) -> Bool { kind == other.kind && createdAt == other.createdAt }

  /// The age, and the time in a queue, as far as they are known.
  package var times: String {
    (age.map { "; pending for \($0.inReports)" } ?? "") + (queuedFor.map { "; queued for \($0.inReports)" } ?? "")
  }
}

extension WaitCause: Encodable {
  private enum Key: String, CodingKey {
    case id, kind, operation, createdAt, label, ageInSeconds, queuedForInSeconds, summary, promiseCount
  }

  /// Encodes the cause for a log or a server. The site is encoded as text, and times as numbers of seconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encode(kind.rawValue, forKey: .kind)
    try container.encodeIfPresent(operation, forKey: .operation)
    try container.encodeIfPresent(createdAt?.description, forKey: .createdAt)
    try container.encodeIfPresent(label, forKey: .label)
    try container.encodeIfPresent(age.map { $0 / .seconds(1) }, forKey: .ageInSeconds)
    try container.encodeIfPresent(queuedFor.map { $0 / .seconds(1) }, forKey: .queuedForInSeconds)
    try container.encode(summary, forKey: .summary)
    try container.encode(promiseCount, forKey: .promiseCount)
  }
}

/// The distinct causes of the waits of promises, as ``AnyPromise/causes`` and PromiseRecording's `Diagnostics.causes()`
/// return them. The cause for which the most promises wait is the first. At most 32 causes are elements, and the fifth
/// and later ones of one place are the last.
///
/// A server sends them as JSON with an encoder, such as Foundation's `JSONEncoder`.
public struct WaitCauses: Sendable, Hashable, RandomAccessCollection {
  static let mostCauses = 32

  private let causes: [WaitCause]
  /// The number of further causes, which are no elements.
  public let omittedCount: Int
  /// The number of promises that were looked at, which wait for the causes.
  public let promiseCount: Int
  /// Whether all promises above were looked at. If not, there may be more causes, and more promises may wait for those
  /// found.
  public let isComplete: Bool

  /// Creates an empty collection.
  package init() { self.init([], omittedCount: 0, promiseCount: 0, isComplete: true) }

  init(_ causes: [WaitCause], omittedCount: Int, promiseCount: Int, isComplete: Bool) {
    self.causes = causes
    self.omittedCount = omittedCount
    self.promiseCount = promiseCount
    self.isComplete = isComplete
  }

  /// Zero.
  public var startIndex: Int { causes.startIndex }
  /// The number of elements.
  public var endIndex: Int { causes.endIndex }
  /// The cause at a position. The first has the most promises behind it.
  public subscript(position: Int) -> WaitCause { causes[position] }
}

extension WaitCauses: CustomStringConvertible {
  /// A line for each cause, and lines for what was left out. Of more than three causes of one kind and place, the third
  /// and later ones have one line. Empty if there is no cause.
  public var description: String { lines(atMost: Self.mostCauses).joined(separator: "\n") }

  /// The lines of the description, for the given number of causes and of groups of them.
  package func lines(atMost limit: Int) -> [String] {
    var lines: [String] = []
    var lineCount = 0
    var omitted = omittedCount
    // There are at most 32 causes, so searching them is faster than a table, and needs less code in each program.
    for (index, cause) in causes.enumerated() {
      let group = causes.indices.filter { causes[$0].isLike(cause) }
      let isJoined = group.count > 3
      let number = group.firstIndex(of: index) ?? 0
      if isJoined, number > 2 { continue }
      let isFirstJoined = isJoined && number == 2
      guard lineCount < limit else {
        omitted += isFirstJoined ? group.count - 2 : 1
        continue
      }
      lineCount += 1
      lines.append(isFirstJoined ? line(joining: group.dropFirst(2), at: cause.createdAt) : "cause: \(cause)")
    }
    if omitted > 0 { lines.append("… \(omitted) more \(omitted == 1 ? "cause" : "causes")") }
    if !isComplete {
      lines.append(
        "… the search ended after \(promiseCount) promises: there may be more causes, and larger numbers of promises")
    }
    return lines
  }
}

extension WaitCauses {
  /// - Parameter indices: those of causes of one kind and place.
  private func line(joining indices: ArraySlice<Int>, at place: CreationSite?) -> String {
    let counts = indices.map { causes[$0].promiseCount }
    let least = counts.min() ?? 0
    let most = counts.max() ?? 0
    let place = place.map { " at \($0)" } ?? ""
    let promises = least == most ? "\(least)" : "\(least) to \(most)"
    let wait = most == 1 ? "1 promise waits" : "\(promises) promises wait"
    return "… \(indices.count) more such causes\(place), for each of which \(wait)"
  }
}

extension WaitCauses: Encodable {
  private enum Key: String, CodingKey { case causes, omittedCount, promiseCount, isComplete }

  /// Encodes the causes, and the numbers, for a log or a server.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(causes, forKey: .causes)
    try container.encode(omittedCount, forKey: .omittedCount)
    try container.encode(promiseCount, forKey: .promiseCount)
    try container.encode(isComplete, forKey: .isComplete)
  }
}

extension AnyPromise {
  /// The distinct causes of the wait of this promise. Empty if it has finished (rule 2.11).
  ///
  /// ```swift
  /// print(answer.causes)
  /// // cause: the owner of Promise<String> made at Shop/Server.swift:40, which is alive and has not settled it; 2 promises wait for it
  /// ```
  ///
  /// A cause is an end of the tree that ``waitsFor`` describes: an owner that is alive, a handler that is running, a
  /// context on which handlers are queued, a Task, a timer, or a hook or cleanup that has not ended. A wait for a place
  /// in a gate leads on to what the operations inside wait for. The gate itself is a cause if it is paused or limits a
  /// rate, if an operation inside has not ended although its result is settled, and if an operation inside waits for
  /// the same gate, directly or through other gates.
  ///
  /// Each cause is contained once, with the number of promises that wait for it, which may include this one. The search
  /// is not cut where the tree is. It ends early after 100,000 promises, or after a million steps from one to another,
  /// and ``WaitCauses/isComplete`` tells so.
  ///
  /// May be read from any thread at any time. The promises are read one after the other, so the result is no snapshot
  /// of one moment.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises above and of the waits between them. Each
  ///   promise is visited once.
  public final var causes: WaitCauses { causes(lookingAtMost: CauseSearch.mostNodes, steps: CauseSearch.mostSteps) }

  /// The causes, as far as a search with these limits finds them.
  ///
  /// - Parameters:
  ///   - limit: the largest number of promises and gates.
  ///   - steps: the largest number of steps.
  package final func causes(lookingAtMost limit: Int, steps: Int) -> WaitCauses {
    var search = CauseSearch(mostNodes: limit, mostSteps: steps)
    search.visit(.promise(resolved))
    return search.causes
  }
}

extension Diagnostics {
  /// Returns the causes of the waits of these promises.
  package static func causes(of promises: [AnyPromise]) -> WaitCauses {
    var search = CauseSearch()
    for promise in promises { search.visit(.promise(promise.resolved)) }
    return search.causes
  }

  /// Returns the causes of the waits of the promises that a recorder records, and for each the numbers of recorded
  /// promises that wait for it with no recorded promise between. Of a gate only the first.
  package static func causes(of promises: [EnrolledPromise]) -> (causes: WaitCauses, waiters: [[Int]]) {
    var search = CauseSearch()
    var numbers: [ObjectIdentifier: Int] = [:]
    for promise in promises {
      if let identity = promise.awaited.identity { numbers[identity] = promise.number }
      search.visit(promise)
    }
    return search.causesAndWaiters(numbers: numbers)
  }
}
