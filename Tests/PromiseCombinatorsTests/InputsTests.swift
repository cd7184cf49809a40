import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

@Suite("Inputs of combinators", .leavingNothing) struct InputsTests {
  let owners = (0..<2).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  @Test("The list of combinators has each function that takes several promises, with its labels")
  func complete() throws {
    let lines = try Listing("PromiseCombinators").lines.filter { line in
      line.contains(/Inputs\.Element == Promise<|_ first: Promise<|\[Key : Promise</)
    }
    let listed = lines.compactMap { line in
      Listing.name(of: line).map { name in
        let function = String(name.dropFirst("Promise.".count))
        return line.contains("[Key : Promise<") ? "keyed \(function)" : function
      }
    }
    let tested = Set(Combinator<Int>.all.map(\.function))
    #expect(listed.count >= 15)
    #expect(Set(listed).symmetricDifference(tested).isEmpty)
  }

  @Test(
    "Giving up the result gives up sources behind links and other combinators", .rule("4.4"),
    arguments: Combinator<Int>.all)
  func givesUpUpwards(_ combinator: Combinator<Int>) {
    for innerKind in 0..<2 {
      let context = ManualContext()
      let works = [StoppableWork(), StoppableWork()]
      let link = works[0].promise.map(on: context) { $0 }
      let inner =
        innerKind == 0 ? Promise.all([link]).map(on: context) { $0[0] } : Promise.race([link]).map(on: context) { $0 }
      let result = combinator.combine([inner, works[1].promise])
      result.cancel(reason: TestError(7), upstream: true)
      #expect(inner.isCancelled)
      #expect(works.allSatisfy { $0.isStopped && $0.reasonNumbers == [7] })
    }
  }

  @Test(
    "A combinator's result is no descendant of its inputs but its own root", .rule("4.0"),
    arguments: Combinator<Int>.all)
  func noDescendant(_ combinator: Combinator<Int>) {
    let context = ManualContext()
    let root = Deferred<Int>()
    // The input is cancelled below a settled promise, where a cancellation would reach descendants too.
    root.fulfill(1)
    let input = root.promise.map(on: context) { $0 }
    let result = combinator.combine([input, inputs[0]])
    inputs[1].cancel()
    #expect(result.isPending)
    root.promise.cancel()
    #expect(input.isCancelled)
    #expect(result.parent == nil)
    #expect(result.root === result)
  }

  // The long ring has more links than the first, short search for a ring follows.
  @Test(
    "An input that comes to wait for the result closes a ring, however many links lie between them",
    .rule("3.2"), arguments: Combinator<Int>.all, [0, 100])
  func ring(_ combinator: Combinator<Int>, links: Int) {
    let context = ManualContext()
    let result = combinator.combine(inputs)
    let first = Deferred<Int>(line: 11)
    let last = Deferred<Int>()
    // result ← inputs[0] ← first ← links ← last ← result
    owners[0].follow(first.promise)
    last.follow(result.thenOwned(on: context, by: .then, at: CreationSite()) { Promise.fulfilled(0) })
    var link = last.promise
    for _ in 0..<links { link = link.map(on: context) { $0 } }
    first.follow(link)
    guard case .cycle(let site, _)? = first.promise.error as? PromiseError, site.line == 11 else {
      Issue.record("\(first.promise.debugDescription)")
      return
    }
  }

  @Test(
    "A ring through a combinator reports its error once, and not at all if the result was handled",
    .rule("3.2", "7.1"), arguments: Combinator<Int>.all, [false, true])
  func reportOfRing(_ combinator: Combinator<Int>, isHandled: Bool) {
    let context = ManualContext()
    let reports = Log<UnhandledRejection>()
    let hook: @Sendable (UnhandledRejection) -> Void = { reports.append($0) }
    let hasCycle = Diagnostics.scoped(unhandledRejection: hook) {
      let owner = Deferred<Int>()
      let result = combinator.combine([owner.promise, owner.promise])
      owner.follow(result.thenOwned(on: context, by: .then, at: CreationSite()) { Promise.fulfilled(0) })
      context.runUntilIdle()
      // A test world handles rejections in this way.
      if isHandled { _ = result.takeUnhandledRejection() }
      return result.isPending ? false : PromiseError.Code(result.settledError) == .cycle
    }
    // `any` has an error of its own, and `allSettled` a value.
    #expect(reports.entries.count { PromiseError.Code($0.error) == .cycle } == (hasCycle && !isHandled ? 1 : 0))
  }

  #if DEBUG
    @Test(
      "A wait for the result finds the handlers of all inputs, unless some of the inputs are enough", .rule("7.2"),
      arguments: Combinator<Int>.all, [1, 2, 3])
    func awaitedHandlers(_ combinator: Combinator<Int>, count: Int) {
      // Some combinators that need all inputs take two promises or more.
      if combinator.countNeeded(of: 2) == 2 && count == 1 { return }
      let context = ManualContext()
      let owners = (0..<count).map { _ in Deferred<Int>() }
      let links = owners.map { $0.promise.map(on: context) { $0 } }
      let found = combinator.combine(links).awaitedHandlers
      #expect(found.count == (combinator.countNeeded(of: count) == count ? count : 0))
      // The inputs of a dictionary have no order.
      #expect(found.allSatisfy { handler in links.contains { $0 === handler.promise } })
      withExtendedLifetime(owners) {}
    }
  #endif

  @Test("A combinator observes a settled input after the handlers that were attached to it before", .rule("2.2"))
  func settledInputInTurn() {
    let calls = Log<String>()
    let context = ManualContext()
    let input = inputs[0]
    // When the combinator is called, the input is settled and has not fired its second handler yet.
    let calling = CallingContext(context) {
      Promise.all([input]).onFulfilled(on: context) { _ in calls.append("combinator") }
    }
    input.onFulfilled(on: calling) { _ in calls.append("first") }
    input.onFulfilled(on: context) { _ in calls.append("second") }
    context.runUntilIdle(after: owners[0].fulfill(1))
    #expect(calls.entries == ["first", "second", "combinator"])
  }

  @Test("No input counts as the last while the rule works on another input on another thread", .rule("1.1", "8.2"))
  func last() {
    let entered = Gate()
    let leave = Gate()
    let calls = Log<String>()
    let result = Promise<Void>(pendingAt: CreationSite())
    let slow = inputs[0]
    let inputs = inputs
    let census = Tracked.Census()
    Combination.make(result, from: inputs, by: .all, needing: 2, measuring: .none) {
      [tracked = Tracked(census)] input, isLast in
      withExtendedLifetime(tracked) {}
      if isLast {
        calls.append("last")
        return .settle(.value(Payload()))
      }
      if input === slow {
        entered.open()
        leave.wait("end of the other settlement")
        calls.append("slow")
      }
      return .wait
    }
    race([
      { [owners] in owners[0].reject(TestError(1)) },
      { [owners] in
        entered.wait("rule of the slow input")
        owners[1].fulfill(2)
        calls.append("other")
        leave.open()
      },
    ])
    #expect(calls.entries == ["other", "slow", "last"])
    #expect(result.isFulfilled)
    #expect(census.living == 0)
  }

  @Test("No input counts as the last once the result was cancelled", .rule("1.1", "4.9"))
  func lastOfCancelled() {
    let calls = Log<Bool>()
    let result = Promise<Void>(pendingAt: CreationSite())
    Combination.make(result, from: inputs, by: .all, needing: 2, measuring: .mean) { [weak result] _, isLast in
      calls.append(isLast)
      // The result is cancelled while its rule considers the last input.
      if calls.entries.count == 2 { result?.cancel() }
      return .wait
    }
    owners[0].reject(TestError(1))
    owners[1].fulfill(2)
    #expect(calls.entries == [false, false])
  }

  @Test("An input that decides too late leaves the other inputs to the cancellation of the result", .rule("4.4"))
  func decidesTooLate() {
    let result = Promise<Void>(pendingAt: CreationSite())
    Combination.make(result, from: inputs, by: .all, needing: 2, measuring: .none) { [weak result] _, _ in
      // This call stands for another thread that cancels the result while its rule considers the input.
      result?.cancel(upstream: true)
      return .settle(.value(Payload()))
    }
    owners[0].fulfill(1)
    #expect(result.isCancelled && inputs[1].isCancelled)
  }

  @Test("The search for a ring visits an input once, even if many paths lead to it", .rule("3.2"), .bounded)
  func manyPaths() {
    let outer = Deferred<Int>()
    let waiting = Promise.race([outer.promise])
    outer.follow((0..<64).reduce(inputs[0]) { promise, _ in Promise.race([promise, promise]) })
    #expect(waiting.isPending && owners[0].fulfill(1) && waiting.isFulfilled)
  }
}
