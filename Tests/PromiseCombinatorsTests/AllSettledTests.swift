import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("allSettled")
struct AllSettledTests {
  let owners = (0..<3).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  private func described(_ promise: Promise<[Result<Int, any Error>]>) -> [String]? {
    promise.values?.map { result in
      switch result {
      case .success(let value): "\(value)"
      case .failure(let error): "error \((error as? TestError)?.number ?? -1)"
      }
    }
  }

  @Test("allSettled fulfils with the outcomes in the order of the inputs when the last input settles")
  func outcomes() {
    let all = Promise.allSettled(inputs)
    owners[2].reject(TestError(2))
    inputs[1].cancel(reason: TestError(1))
    #expect(all.isPending)
    owners[0].fulfill(0)
    #expect(described(all) == ["0", "error 1", "error 2"])
  }

  @Test("allSettled gives no outcomes without inputs, and fulfils inside the call if all inputs are settled")
  func atOnce() {
    #expect(described(.allSettled([])) == [])
    #expect(described(.allSettled([.fulfilled(1), .rejected(TestError(2))])) == ["1", "error 2"])
  }

  @Test(
    "allSettled(atLeast:) fulfils with enough values, and otherwise rejects with all errors",
    arguments: [0, 1, 2, 3, 4])
  func atLeast(_ count: Int) {
    let all = Promise.allSettled(inputs, atLeast: count)
    owners[0].fulfill(0)
    owners[1].reject(TestError(1))
    #expect(all.isPending)
    owners[2].fulfill(2)
    if count <= 2 { return #expect(described(all) == ["0", "error 1", "2"]) }
    guard case .noneFulfilled(let errors, _)? = all.ownError else {
      Issue.record("\(all.state)")
      return
    }
    #expect(errors.compactMap { ($0 as? TestError)?.number } == [1])
  }

  @Test("allSettled(atLeast:) without inputs rejects unless it needs no value")
  func atLeastOfNone() {
    guard case .emptyInput? = Promise.allSettled([Promise<Int>](), atLeast: 1).ownError else {
      Issue.record("expected: emptyInput")
      return
    }
    #expect(described(.allSettled([Promise<Int>](), atLeast: -1)) == [])
  }
}

@Suite("Combinators in every order of events")
struct CombinedOrderTests {
  @Test(
    "A combinator settles its result and leaves nothing behind in every order of a value, an error and a cancel",
    .rule("4.8"),
    arguments: Combinator.all)
  func everyOrder(_ combinator: Combinator) throws {
    // The test does not read the error of the result.
    let exploration = try TestWorld.exploreAll(checking: .all.subtracting(.unhandledRejections)) { world in
      let owners = (0..<2).map { _ in Deferred<Int>() }
      let inputs = owners.map { owner in owner.promise.map { $0 + 1 } }
      let result = combinator.combine(inputs)
      world.sometime("a value") { owners[0].fulfill(1) }
      world.sometime("an error") { owners[1].reject(TestError(1)) }
      world.sometime("the user gives up") { result.cancel() }
      world.runUntilIdle()
      world.expect(!result.isPending)
      world.expect(inputs.allSatisfy { !$0.isPending })
    }
    #expect(exploration.isComplete && exploration.schedules >= 6)
  }

  @Test("Nested combinators of the same promises agree on the first value in every order of events", .rule("3.1"))
  func nested() throws {
    let exploration = try TestWorld.exploreAll { world in
      let owners = (0..<2).map { _ in Deferred<Int>() }
      let first = Promise.race(owners.map(\.promise))
      let both = Promise.all(first.map { $0 }, Promise.any(owners.map(\.promise)))
      let end = Promise.allSettled([both.asVoid(), first.asVoid()])
      world.sometime("one") { owners[0].fulfill(1) }
      world.sometime("two") { owners[1].fulfill(2) }
      world.runUntilIdle()
      world.expect((try? end.result?.get())?.count == 2)
      let values = try? both.result?.get()
      world.expect(values != nil && values?.0 == values?.1, "the same was first for both")
    }
    #expect(exploration.isComplete && exploration.schedules > 2)
  }

  @Test("allSettled of promises of different types fulfils with a tuple of outcomes in the order of the inputs")
  func differentTypes() {
    let number = Deferred<Int>()
    let settled = Promise.allSettled(number.promise, Promise<String>.rejected(TestError(2)), Promise.fulfilled(true))
    #expect(settled.isPending)
    number.fulfill(1)
    let outcomes = settled.values
    #expect((try? outcomes?.0.get()) == 1 && (try? outcomes?.2.get()) == true)
    #expect(throws: TestError(2)) { try outcomes?.1.get() }
  }

  @Test(
    "allSettled(atLeast:) of promises of different types rejects if too few inputs are fulfilled",
    arguments: [0, 1, 2, 3])
  func differentTypesAtLeast(_ count: Int) {
    let settled = Promise.allSettled(
      Promise.fulfilled(1), Promise<String>.rejected(TestError(2)), Promise.fulfilled(true), atLeast: count)
    #expect(settled.isFulfilled == (count <= 2))
    #expect(PromiseError.Code(settled.error) == (count <= 2 ? nil : .noneFulfilled))
  }
}
