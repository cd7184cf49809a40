import PromiseCore
import TestSupport
import Testing

/// Tests every order of a few events on a tree of four promises. An owner has the promise `source`. The handler of its
/// link `derived` returns `inner`, the promise of another owner. `below` is a link of `derived`. An event attaches a
/// shield to `derived`.
@Suite("Orders of cancel and other events")
struct CancelOrderTests {
  enum Event: CaseIterable, Sendable {
    case cancelSource, cancelDerived, cancelBelow, cancelInner, cancelDerivedUpstream, cancelBelowUpstream
    case fulfilSource, rejectSource, fulfilInner, runHandler, attach, dropSource, dropInner
  }

  enum Outcome: Equatable {
    case pending
    case value(Int)
    case error(Int)
    case cancelled, broken
  }

  @Test(
    "Every order of five events has the outcomes and hooks that the rules predict",
    .rule("1.3", "2.5", "4.0", "4.1", "4.2", "4.3", "4.4", "6.2"),
    .slow, arguments: Event.allCases)
  func orders(_ first: Event) {
    var count = 0
    forEachOrder(startingWith: first, length: 5) { events in
      guard isSensible(events) else { return }
      count += 1
      let (expected, seen) = (Rules.outcomes(of: events), Play.outcomes(of: events))
      if expected != seen { Issue.record("\(events): expected \(expected), seen \(seen)") }
    }
    #expect(count > 100)
  }

  private func forEachOrder(startingWith first: Event, length: Int, _ body: ([Event]) -> Void) {
    func extend(_ events: [Event]) {
      if events.count == length { return body(events) }
      for event in Event.allCases where !events.contains(event) { extend(events + [event]) }
    }
    extend([first])
  }

  /// Returns whether no owner is used after it was released.
  private func isSensible(_ events: [Event]) -> Bool {
    func comes(_ event: Event, before other: Event) -> Bool {
      guard let first = events.firstIndex(of: event), let second = events.firstIndex(of: other) else { return false }
      return first < second
    }
    return !comes(.dropSource, before: .fulfilSource) && !comes(.dropSource, before: .rejectSource)
      && !comes(.dropInner, before: .fulfilInner)
  }

  /// The outcomes of all promises after an event, and the hooks that have run by then.
  struct Picture: Equatable {
    var outcomes: [Outcome]
    var hooks: [Int]
  }
}

// MARK: - The library

extension CancelOrderTests {
  private struct Play {
    private let context = ManualContext()
    /// A context that never runs, so promises below stay pending until they are cancelled or rejected.
    private let nowhere = ManualContext()
    private let hooks = Log<Int>()
    private var source: Deferred<Int>?
    private var inner: Deferred<Int>?
    private var promises: [Promise<Int>]

    static func outcomes(of events: [Event]) -> [Picture] {
      var play = Play()
      return events.map { play.perform($0) }
    }

    private init() {
      let (source, inner) = (Deferred<Int>(), Deferred<Int>())
      let hooks = hooks
      source.onCancel { _ in hooks.append(0) }
      inner.onCancel { _ in hooks.append(1) }
      let innerPromise = inner.promise
      let derived = source.promise.then(on: context) { _ in innerPromise }
      let below = derived.map(on: nowhere) { $0 }
      (self.source, self.inner) = (source, inner)
      promises = [source.promise, derived, below, innerPromise]
    }

    private mutating func perform(_ event: Event) -> Picture {
      switch event {
      case .cancelSource: promises[0].cancel()
      case .cancelDerived: promises[1].cancel()
      case .cancelBelow: promises[2].cancel()
      case .cancelInner: promises[3].cancel()
      case .cancelDerivedUpstream: promises[1].cancel(upstream: true)
      case .cancelBelowUpstream: promises[2].cancel(upstream: true)
      case .fulfilSource: source?.fulfill(1)
      case .rejectSource: source?.reject(TestError(2))
      case .fulfilInner: inner?.fulfill(3)
      case .runHandler: context.runUntilIdle()
      case .attach: promises.append(promises[1].shielded())
      case .dropSource: source = nil
      case .dropInner: inner = nil
      }
      return Picture(outcomes: promises.map(outcome), hooks: hooks.entries.sorted())
    }

    private func outcome(_ promise: Promise<Int>) -> Outcome {
      switch promise.seen {
      case .pending: .pending
      case .fulfilled(let value): .value(value)
      case .rejected(.test(let number)): .error(number)
      case .rejected(.cancellation): .cancelled
      case .rejected: .broken
      }
    }
  }
}
