import TestSupport
import Testing

@Suite("The cancelled mark of rejections") struct CancelledMarkTests {
  let context = ManualContext()

  @Test("Rejecting with CancellationError sets the mark, and rejecting with another error does not", .rule("1.2"))
  func set() {
    let deferred = Deferred<Int>()
    deferred.reject(CancellationError())
    #expect(deferred.promise.isCancelled)
    #expect(deferred.promise.isRejected)
    #expect(
      deferred.promise.status == .rejected(.cancellation) && Promise<Int>.rejected(CancellationError()).isCancelled)
    #expect(Promise<Int>(catching: { throw CancellationError() }).isCancelled)
    #expect(!Promise<Int>.rejected(TestError(1)).isCancelled)
    #expect(!Promise<Int>(catching: { throw TestError(1) }).isCancelled)
  }

  @Test("Links that pass a rejection keep the mark, even always and catch", .rule("1.2"), arguments: LinkKind.links)
  func kept(_ kind: LinkKind) {
    let derived = kind.attach(to: .rejected(CancellationError()), on: context, giving: 2) {}
    context.runUntilIdle()
    let seesCancellations = kind.handlesErrors && !kind.looksAtMark && !LinkKind.typed.contains(kind)
    let replaces = seesCancellations && (kind.substitutes || kind.mapsErrors)
    #expect(derived.isCancelled == !replaces)
    if !replaces { #expect(derived.status == .rejected(.cancellation)) }
  }

  @Test("A handler that looks at the mark runs for cancellations or for other errors", arguments: LinkKind.allCases)
  func looksAtMark(_ kind: LinkKind) {
    if LinkKind.typed.contains(kind) || kind == .onRejectedOnly { return }
    let log = Log<Int>()
    _ = kind.attach(to: .rejected(CancellationError()), on: context, giving: 2) { log.append(1) }
    #expect(context.count == (Settlement.error.schedulesJob(of: kind) ? 1 : 0))
    context.runUntilIdle()
    #expect(log.entries.count == (kind.handlesErrors == kind.looksAtMark ? 0 : 1))
  }

  @Test("A handler that throws the error that it was given keeps the mark, whatever the error is", .rule("1.2"))
  func thrownAgain() {
    let adopted = Deferred<Int>()
    let adopter = Promise.fulfilled(1).then(on: context) { _ in adopted.promise }
    let recovered = adopter.recover(on: context) { error in throw error }
    let rescued = adopter.rescue(on: context) { error -> Promise<Int> in throw error }
    let mapped = adopter.map(on: context, fulfilled: { $0 }, rejected: { throw $0 })
    let mappedError = adopter.mapError(on: context) { $0 }
    // A typed handler gets a copy of the error, which it throws in a new box.
    let typed = adopter.recover(from: TestError.self, on: context) { throw $0 }
    let replaced = adopter.recover(on: context) { _ in throw TestError(7) }
    context.runUntilIdle()
    adopted.promise.cancel(reason: TestError(7))
    context.runUntilIdle()
    for promise in [recovered, rescued, mapped, mappedError] {
      #expect(promise.isCancelled)
      #expect(promise.status == .failed(7))
    }
    for promise in [typed, replaced] {
      #expect(!promise.isCancelled)
      #expect(promise.status == .failed(7))
    }
  }

  @Test("catchFailure(only:) leaves a cancellation alone whose reason has its type", .rule("1.2"))
  func typedFailure() {
    let seen = Log<Int>()
    let cancelled = Deferred<Int>()
    let adopter = Promise.fulfilled(1).then(on: context) { _ in cancelled.promise }
    adopter.catchFailure(only: TestError.self, on: context) { seen.append($0.number) }
    Promise<Int>.rejected(TestError(8)).catchFailure(only: TestError.self, on: context) { seen.append($0.number) }
    context.runUntilIdle()
    cancelled.promise.cancel(reason: TestError(7))
    context.runUntilIdle()
    #expect(adopter.isCancelled)
    #expect(seen.entries == [8])
  }

  @Test("A handler that throws an ordinary error again does not set the mark", .rule("1.2"))
  func ordinaryThrownAgain() {
    let recovered = Promise<Int>.rejected(TestError(7)).recover(on: context) { error in throw error }
    context.runUntilIdle()
    #expect(recovered.status == .failed(7))
    #expect(!recovered.isCancelled)
  }

  @Test(
    "A handler for failures sees every rejection except those with the cancelled mark", .rule("1.2", "2.5"),
    arguments: LinkKind.allCases.filter(\.looksAtMark))
  func failures(_ kind: LinkKind) {
    let cancelled = Deferred<Int>()
    let sources: [(promise: Promise<Int>, isSeen: Bool)] = [
      (.rejected(TestError(1)), true),
      (.rejected(CancellationError()), false),
      (Promise(catching: { throw CancellationError() }), false),
      (cancelled.promise, false),
      (cancelled.promise.map(on: context) { $0 }, false),
      (Promise.fulfilled(1).then(on: context) { _ in cancelled.promise }, false),
      // The mark counts, and not the error.
      (cancelled.promise.shielded().mapError(on: context) { $0 }, false),
      (Promise<Int>.rejected(CancellationError()).mapError(on: context) { _ in TestError(2) }, true),
      (Promise.fulfilled(1), false),
    ]
    let attached = sources.map { source in
      let log = Log<Int>()
      return (log, kind.attach(to: source.promise, on: context, giving: 0) { log.append(1) })
    }
    context.runUntilIdle()
    cancelled.promise.cancel(reason: TestError(7))
    context.runUntilIdle()
    for (index, (source, (log, promise))) in zip(sources, attached).enumerated() {
      #expect(log.entries.count == (source.isSeen ? 1 : 0), "source \(index)")
      #expect(promise.isCancelled == source.promise.isCancelled, "source \(index)")
      let isReplaced = source.isSeen && kind.substitutes
      #expect(promise.failure == (isReplaced ? nil : source.promise.failure), "source \(index)")
    }
  }
}
