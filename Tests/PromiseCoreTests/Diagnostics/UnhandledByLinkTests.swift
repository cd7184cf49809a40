import TestSupport
import Testing

/// Tests one link at a time. The promise is made in line 1 and the link in line 2, and the test retains neither.
@Suite("Unhandled rejections: each kind of link", .rule("7.1")) struct UnhandledByLinkTests {
  private let context = ManualContext()

  enum Moment: CaseIterable { case attachedBefore, attachedAfter }

  /// Attaches a link of the kind to a promise that is rejected with `error`, and releases all promises.
  private func leave(
    _ kind: LinkKind, _ moment: Moment, error: any Error = TestError(1), throwing thrown: TestError? = nil,
    then finish: (ManualContext) -> Void = { $0.runUntilIdle() }
  ) {
    let deferred = Deferred<Int>(line: 1)
    if moment == .attachedAfter { deferred.reject(error) }
    _ = kind.attach(to: deferred.promise, on: context, giving: 2, line: 2) { if let thrown { throw thrown } }
    if moment == .attachedBefore { deferred.reject(error) }
    finish(context)
  }

  @Test("Each link either handles the error or passes the duty on", arguments: LinkKind.allCases, Moment.allCases)
  func afterLink(kind: LinkKind, moment: Moment) {
    let expected: [Unhandled] =
      if kind.mapsErrors {
        [Unhandled(LinkKind.mapped.number, line: 2)]
      } else if kind.handlesErrors && !kind.handsDutyOn {
        []
      } else {
        [Unhandled(1, line: kind.isObserver ? 1 : 2)]
      }
    expectUnhandled(expected) { leave(kind, moment) }
  }

  @Test("An error that replaces another is reported", arguments: LinkKind.links.filter(\.mayThrow), Moment.allCases)
  func afterThrow(kind: LinkKind, moment: Moment) {
    let expected = kind.handlesErrors ? [Unhandled(7, line: 2)] : [Unhandled(1, line: 2)]
    expectUnhandled(expected) { leave(kind, moment, throwing: TestError(7)) }
  }

  @Test("A typed link or observer handles errors of its type only", arguments: LinkKind.typed + [.onRejectedOnly])
  func typed(kind: LinkKind) {
    let other = PromiseError.emptyCallback(createdAt: CreationSite(line: 1))
    for moment in Moment.allCases {
      expectUnhandled([Unhandled("emptyCallback", line: kind.isObserver ? 1 : 2)]) { leave(kind, moment, error: other) }
    }
  }

  @Test(
    "An error whose handler is dropped by its context is reported, and so is the link's contextDropped error",
    .rule("6.2"), arguments: LinkKind.allCases, Moment.allCases)
  func droppedByContext(kind: LinkKind, moment: Moment) {
    let reports = Reports.unhandled { leave(kind, moment) { $0.dropAll() } }
    if !kind.handlesErrors {
      #expect(reports == [Unhandled(1, line: kind.isObserver ? 1 : 2)])
    } else if kind.isObserver {
      #expect(reports == [Unhandled(1, line: 1)])
    } else {
      #expect(Set(reports.map(\.error)) == ["contextDropped", "1"])
      #expect(reports.count == 2)
    }
  }

  @Test("A link whose job is dropped, and that is cancelled meanwhile, has the duty", .rule("6.2"))
  func cancelledWhileDropped() {
    expectUnhandled([]) {
      let owner = Deferred<Int>(line: 1)
      let promise = owner.promise
      let link = promise.recover(on: DroppingContext(), line: 2) { _ in 1 }
      // The link is rejected when the release of the owner is over, and so after this.
      owner.onEnd(on: .atOnce) { [weak promise] _ in promise?.cancel() }
      withExtendedLifetime(consume owner) {}
      #expect(link.isCancelled)
    }
  }

  @Test("A cancelled rejection is never reported", arguments: LinkKind.allCases, Moment.allCases)
  func cancelled(kind: LinkKind, moment: Moment) {
    // A link whose handler runs and throws another error reports that error.
    let expected = kind == .mapError ? [Unhandled(LinkKind.mapped.number, line: 2)] : []
    expectUnhandled(expected) { leave(kind, moment, error: CancellationError()) }
    expectUnhandled([]) {
      let deferred = Deferred<Int>(line: 1)
      _ = kind.attach(to: deferred.promise, on: context, giving: 2, line: 2) {}
      deferred.promise.cancel(reason: TestError(1))
      context.runUntilIdle()
    }
  }

  @Test("A cancelled link takes a duty if its handler runs", .rule("2.5"), arguments: LinkKind.links, [false, true])
  func derivedCancelled(kind: LinkKind, isOfOtherType: Bool) {
    let error: any Error = isOfOtherType ? PromiseError.emptyCallback(createdAt: CreationSite(line: 1)) : TestError(1)
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      let derived = kind.attach(to: deferred.promise, on: context, giving: 2, line: 2) {}
      derived.cancel()
      deferred.reject(error)
      context.runUntilIdle()
    }
    let handles: Bool =
      switch kind {
      case .mapBoth, .thenBoth, .catchAny, .catchThen, .catchFailure: true
      case .catchOnly: !isOfOtherType
      default: false
      }
    #expect(reports == (handles ? [] : [Unhandled(error, line: 1)]))
  }
}
