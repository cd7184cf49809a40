import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  /// Wide trees below a promise. Each test would take minutes if its time grew with the square of the width.
  @Suite("Progress: wide trees")
  struct WideProgressTests {
    private static let width = 100_000
    private static let breadth = 10_000
    private let deferred = Deferred<Int>()
    private let context = Trampoline()
    private let shown = Trampoline()
    private let log = Log<Double>()

    /// A link that waits for its handler, so that the library tracks progress.
    private var derived: Promise<Int> { deferred.promise.tap(on: context) { _ in } }

    /// Returns the indices in the order in which the iterators or results leave.
    private static func leaving(_ count: Int, fromEnd: Bool) -> [Int] {
      fromEnd ? Array((0..<count).reversed()) : Array(0..<count)
    }

    @Test(
      "100,000 progress iterators of one promise leave it one by one", .rule("4.9", "5.4"), arguments: [false, true])
    func iteratorsLeave(fromEnd: Bool) {
      let promise = derived
      promise.onProgress(on: shown) { [log] in log.append($0) }
      var iterators = (0..<Self.width).map { _ in Optional(promise.progressUpdates.makeAsyncIterator()) }
      for index in Self.leaving(Self.width, fromEnd: fromEnd) {
        iterators[index] = nil
        // Some iterators arrive while others leave.
        if index % 4 == 0 { _ = promise.progressUpdates.makeAsyncIterator() }
      }
      deferred.report(progress: 0.5)
      shown.run()
      #expect(log.entries == [0.5])
    }

    @Test(
      "10,000 results whose progress was read leave their input one by one", .rule("4.9", "5.4"),
      arguments: [false, true])
    func resultsLeave(fromEnd: Bool) {
      let promise = derived
      let other = Deferred<Int>()
      let results = (0..<Self.breadth).map { _ in Promise.race([promise, other.promise]) }
      deferred.report(progress: 0.25)
      #expect(results.allSatisfy { $0.progress == 0.25 })
      for index in Self.leaving(Self.breadth, fromEnd: fromEnd) { results[index].cancel() }
      deferred.report(progress: 0.5)
      #expect(promise.progress == 0.5)
      #expect(results.allSatisfy { $0.progress == 0.25 })
    }

    @Test(
      "10,000 promises below one or nested results of 10,000 inputs are cancelled without effect on the inputs",
      .rule("5.2", "4.2"), arguments: [1, 8], [false, true])
    func cancelledBelowWideResults(levels: Int, together: Bool) {
      let owners = (0..<Self.breadth).map { _ in Deferred<Int>() }
      var views = owners.map { $0.promise.asVoid() }
      var bases: [Promise<[Void]>] = []
      for _ in 0..<levels {
        let base = Promise.all(views)
        views = views.map { _ in base.asVoid() }
        bases.append(base)
      }
      if levels == 1 { for owner in owners { owner.report(progress: 0.5) } }
      let result = Promise.all(views)
      if together { result.cancel() } else { for view in views { view.cancel() } }
      #expect(result.isRejected)
      #expect(bases.allSatisfy { $0.isPending })
      // These reads keep all promises alive until here. Otherwise, an optimiser may release unused promises earlier.
      #expect(bases[0].progress == (levels == 1 ? 0.5 : 0))
      #expect(owners.allSatisfy { $0.promise.isPending })
    }

    /// Returns a result whose inputs all depend on one chain, either at its end or at each of its links.
    private func bush(atEnd: Bool) -> Promise<[Void]> {
      var chain = deferred.promise
      var leaves: [Promise<Void>] = []
      for _ in 0..<Self.breadth {
        chain = chain.tap(on: context) { _ in }
        if !atEnd { leaves.append(chain.asVoid()) }
      }
      if atEnd { leaves = (0..<Self.breadth).map { [chain] _ in chain.asVoid() } }
      return Promise.all(leaves)
    }

    @Test(
      "A result of 10,000 inputs on one chain of 10,000 links has the progress of the chain, observed or read",
      .rule("5.4", "6.4"), arguments: [true, false], [true, false])
    func inputsOfOneChain(atEnd: Bool, isObserved: Bool) {
      let inputs = bush(atEnd: atEnd)
      let result = inputs.asVoid()
      if isObserved { result.onProgress(on: shown) { [log] in log.append($0) } }
      deferred.report(progress: 0.5)
      shown.run()
      #expect(log.entries == (isObserved ? [0.5] : []))
      if !isObserved {
        #expect(result.progress == 0.5)
        deferred.report(progress: 0.75)
        #expect(result.progress == 0.75)
      }
      inputs.cancel()
      deferred.report(progress: 0.875)
      #expect(result.isCancelled)
      #expect(result.progress == (isObserved ? 0.5 : 0.75))
      #expect(shown.run() == 0)
    }

    @Test(
      "A result of 10,000 inputs shows progress after their owner follows a chain of 10,000 links",
      .rule("3.1", "5.4", "6.4"))
    func ownerFollowsLate() {
      let owner = Deferred<Int>()
      let all = Promise.all((0..<Self.breadth).map { _ in owner.promise.asVoid() })
      #expect(all.progress == 0)
      owner.follow((0..<Self.breadth).reduce(deferred.promise) { chain, _ in chain.tap(on: context) { _ in } })
      deferred.report(progress: 0.5)
      #expect(all.progress == 0.5)
    }

    @Test("An observed result of 100,000 inputs is shown the progress of each", .rule("5.4", "6.4"))
    func observedInputs() {
      let owners = (0..<Self.width).map { _ in Deferred<Int>() }
      let all = Promise.all(owners.map(\.promise))
      all.onProgress(on: shown) { [log] in log.append($0) }
      for owner in owners { owner.report(progress: 0.5) }
      #expect(all.progress == 0.5)
      for owner in owners.dropLast() { owner.fulfill(1) }
      shown.run()
      #expect(log.entries.last == (Double(Self.width) - 0.5) / Double(Self.width))
    }

    @Test(
      "Progress passes iteratively through a ladder of results whose inputs are the two results before",
      .rule("5.4", "6.4"), arguments: [true, false])
    func ladder(newestFirst: Bool) {
      var older = deferred.promise
      var newer = derived
      for _ in 0..<Self.breadth {
        let inputs = newestFirst ? [newer, older] : [older, newer]
        (older, newer) = (newer, Promise.race(inputs).tap(on: context) { _ in })
      }
      deferred.report(progress: 0.5)
      #expect(newer.progress == 0.5)
      deferred.report(progress: 0.75)
      #expect(newer.progress == 0.75)
    }

    @Test("Progress passes once through each of many results whose inputs are the two results before", .rule("6.4"))
    func means() {
      var older = deferred.promise
      var newer = derived
      for _ in 0..<500 {
        let inputs = [older, newer]
        (older, newer) = (newer, Promise.all(inputs).map(on: context, weight: 0) { $0[0] })
      }
      newer.onProgress(on: shown) { [log] in log.append($0) }
      for value in [0.5, 0.75] {
        deferred.report(progress: value)
        shown.run()
        #expect(abs((log.entries.last ?? 0) - value) < 1e-9)
      }
    }
  }
}
