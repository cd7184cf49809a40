import PromiseCombinators
import TestSupport
import Testing

/// A resource whose acquisition and release the test ends. It logs what happens to it.
struct NestedResource: Sendable {
  let name: String
  let log: Log<String>
  /// The outcomes that the releases of ``resource(_:)`` got.
  let outcomes = Log<String>()
  let entering = Deferred<Void>()
  private let leaving = Deferred<Void>()

  init(_ name: String, _ log: Log<String>) {
    self.name = name
    self.log = log
  }

  @Sendable func acquire() -> Promise<Void> { log.append("acquire \(name)", returning: entering.promise) }

  @Sendable func release() -> Promise<Void> { log.append("release \(name)", returning: leaving.promise) }

  /// Uses the resource.
  func use(_ body: @escaping @Sendable () throws -> Promise<Int>) -> Promise<Int> {
    Promise<Int>.using(acquire, release: { _ in release() }, { _ in try body() })
  }

  /// Uses the resource by async closures.
  func asyncUse(_ body: @escaping @Sendable () async throws -> Int) -> Promise<Int> {
    Promise<Int>.asyncUsing(
      { try await acquire().value }, release: { _ in try await release().value }, { _ in try await body() })
  }

  /// The kind of the closures of a `Resource`.
  enum Closures: CaseIterable, Sendable { case promises, async }

  /// Returns a `Resource` for uses of this resource.
  func resource(_ closures: Closures) -> Resource<Void> {
    switch closures {
    case .promises:
      Resource(
        acquire,
        release: { _, outcome in
          outcomes.append(outcome.words)
          return release()
        })
    case .async:
      Resource(
        async: { try await acquire().value },
        release: { _, outcome in
          outcomes.append(outcome.words)
          try await release().value
        })
    }
  }

  /// Makes the release fail, which has begun and has not ended.
  func failRelease(with number: Int) { leaving.reject(TestError(number)) }

  /// The owner of the acquisition or of the release, if that has begun and has not ended.
  private var phase: Deferred<Void>? {
    if log.entries.contains("release \(name)") { return leaving.promise.isPending ? leaving : nil }
    return log.entries.contains("acquire \(name)") && entering.promise.isPending ? entering : nil
  }

  /// Whether the acquisition or the release has begun and has not ended.
  var isInPhase: Bool { phase != nil }

  /// Ends the acquisition or the release, if it has begun and has not ended. Returns whether it did.
  @discardableResult
  func endPhase() -> Bool {
    guard let phase else { return false }
    if phase === leaving { log.append("\(name) released") }
    return phase.fulfill()
  }
}

/// A world with an outer and an inner resource, and with the work of their use.
struct NestedScene: Sendable {
  let world = TestWorld()
  let log: Log<String>
  let outer: NestedResource
  let inner: NestedResource
  let work = Deferred<Int>()

  init() {
    let log = Log<String>()
    self.log = log
    outer = NestedResource("outer", log)
    inner = NestedResource("inner", log)
    work.onCancel(on: .atOnce) { _ in log.append("stopped") }
  }

  /// The log at the end, if both resources were acquired.
  static let order = [
    "acquire outer", "acquire inner", "release inner", "inner released", "release outer", "outer released",
  ]

  /// The log at the end, if both resources were acquired, and the work was stopped during the use.
  static let stoppedOrder: [String] = order.prefix(2) + ["stopped"] + order.dropFirst(2)

  /// The phase in which the result is cancelled.
  enum Phase: Int, CaseIterable, Sendable {
    case outerAcquisition, innerAcquisition, use, innerRelease, outerRelease

    /// The log at the end.
    var expected: [String] {
      switch self {
      case .outerAcquisition: ["acquire outer", "release outer", "outer released"]
      case .use: stoppedOrder
      case .innerAcquisition, .innerRelease, .outerRelease: order
      }
    }
  }

  /// Ends the phases that come before a phase of a use that has begun.
  func proceed(to phase: Phase) {
    for number in 0..<phase.rawValue {
      switch number {
      case 0: outer.entering.fulfill()
      case 1: inner.entering.fulfill()
      case 2: work.fulfill(1)
      default: inner.endPhase()
      }
      world.runUntilIdle()
    }
  }

  /// Ends the acquisitions of the outer resource and then, if wanted, of the inner one.
  func acquire(inner isInnerWanted: Bool = true) {
    world.runUntilIdle(after: outer.entering.fulfill())
    if isInnerWanted { world.runUntilIdle(after: inner.entering.fulfill()) }
  }

  /// Ends the phases of the resources that have begun, one after the other. A phase of the outer resource comes first,
  /// so a release of it that has begun too early is seen in the log.
  func runToTheEnd(_ result: Promise<Int>, sourceLocation: SourceLocation = #_sourceLocation) {
    world.runUntilIdle()
    while outer.isInPhase || inner.isInPhase {
      #expect(!result.isFinished, sourceLocation: sourceLocation)
      if !outer.endPhase() { inner.endPhase() }
      world.runUntilIdle()
    }
    #expect(result.isFinished, sourceLocation: sourceLocation)
  }
}

/// A suite whose tests use nested resources.
protocol NestedSceneTests {
  var scene: NestedScene { get }
}

extension NestedSceneTests {
  var world: TestWorld { scene.world }
  var log: Log<String> { scene.log }
  var outer: NestedResource { scene.outer }
  var inner: NestedResource { scene.inner }
  var work: Deferred<Int> { scene.work }
}

extension TestWorld {
  /// Expects that the outer and the inner resource were acquired at most once each, that each was released once if it
  /// was acquired, and that the inner release had ended when the outer one began.
  ///
  /// - Parameter log: has entries such as "outer acquired", "release outer" and "outer released".
  func expectNestedReleases(in log: [String]) {
    for name in ["outer", "inner"] {
      let count = log.count { $0 == "\(name) acquired" }
      expect(count <= 1, "\(log)")
      expect(log.count { $0.hasPrefix("release \(name)") } == count, "\(log)")
      expect(log.count { $0 == "\(name) released" } == count, "\(log)")
    }
    guard let begin = log.firstIndex(where: { $0.hasPrefix("release outer") }) else { return }
    expect(log[..<begin].contains("inner released") == log.contains("inner acquired"), "\(log)")
  }
}

extension Result where Failure == any Error {
  /// The outcome in words, for a log.
  var words: String {
    switch self {
    case .success(is Void): "a value"
    case .success(let value): "value \(value)"
    case .failure(let error as TestError): "error \(error.number)"
    case .failure(is CancellationError): "cancelled"
    case .failure(let error): error.caseName ?? "\(error)"
    }
  }
}

/// State of the main actor that closures change.
@MainActor final class MainActorState {
  private var notes: [String] = []

  nonisolated init() {}

  /// Appends a note, and returns the result.
  func note<Result>(_ note: String, returning result: Result) -> Result {
    notes.append(note)
    return result
  }

  /// Runs the world until it is idle, and returns the notes.
  nonisolated func notes(in world: TestWorld) -> [String]? {
    world.start { Promise.run(on: .main) { self.notes } }.state.value
  }
}
