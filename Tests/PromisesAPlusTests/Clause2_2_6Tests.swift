import Dispatch
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.6: many handlers of one promise", .rule("2.8")) struct Clause2_2_6Tests {
  private let context = ManualContext()
  private let called = Log<Int>()

  @Test(
    "Handlers of every form run in the order of attachment (2.2.6.1, 2.2.6.2)", .rule("2.2"),
    arguments: Settling.allCases, Outcome.settled)
  func orderOfAllForms(_ settling: Settling, _ outcome: Outcome) {
    for isGrouping in [false, true] {
      let context = ManualContext(isGrouping: isGrouping)
      let called = Log<Form>()
      settling.settle(as: outcome) { promise in
        for form in Form.allCases + Form.allCases.reversed() {
          form.attach(to: promise, on: context) { _ in called.append(form, returning: 0) }
        }
      }
      context.runUntilIdle()
      let expected = Form.handling(outcome)
      #expect(called.entries == expected + expected.reversed())
    }
  }

  @Test(
    "Handlers attached before and after the settlement and while others run keep their order (2.2.6.1, 2.2.6.2)",
    .rule("2.2"), arguments: Settling.allCases, Outcome.settled)
  func orderOverTime(_ settling: Settling, _ outcome: Outcome) {
    for isGrouping in [false, true] {
      let context = ManualContext(isGrouping: isGrouping)
      let called = Log<Int>()
      let attach: (Promise<Int>, Range<Int>) -> Void = { promise, numbers in
        for number in numbers { promise.onSettled(on: context) { _ in called.append(number) } }
      }
      let promise = settling.settle(as: outcome) { promise in
        attach(promise, 0..<10)
        return promise
      }
      attach(promise, 10..<20)
      for _ in 0..<5 { context.step() }
      attach(promise, 20..<30)
      context.runUntilIdle()
      #expect(called.entries == Array(0..<30))
    }
  }

  @Test(
    "Handlers on a serial queue run in the order of attachment (2.2.6.1, 2.2.6.2)", .rule("2.2"),
    arguments: Settling.allCases, Outcome.settled)
  func orderOnSerialQueue(_ settling: Settling, _ outcome: Outcome) {
    let queue = DispatchQueue(label: "2.2.6")
    let attach: (Promise<Int>, Range<Int>) -> Void = { promise, numbers in
      for number in numbers { promise.onSettled(on: queue) { _ in called.append(number) } }
    }
    let promise = settling.settle(as: outcome) { promise in
      attach(promise, 0..<100)
      return promise
    }
    attach(promise, 100..<200)
    queue.sync {}
    #expect(called.entries == Array(0..<200))
  }

  @Test(
    "A handler that throws does not disturb the other handlers (2.2.6.1, 2.2.6.2)", .rule("2.3"),
    arguments: Settling.allCases, Outcome.settled)
  func oneThrows(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.deriving(outcome) {
      let context = ManualContext()
      let called = Log<Int>()
      let derived = settling.settle(as: outcome) { promise in
        (0..<5).map { number in
          form.attach(to: promise, on: context) { _ in
            called.append(number)
            if number == 2 { throw TestError(number) }
            return number
          }
        }
      }
      context.runUntilIdle()
      #expect(called.entries == Array(0..<5), "\(form)")
      #expect(derived.map(\.shown) == [.value(0), .value(1), .error(2), .value(3), .value(4)], "\(form)")
    }
  }

  @Test(
    "A handler attached inside another handler runs after all earlier handlers (2.2.6.1, 2.2.6.2)", .rule("2.2"),
    arguments: Settling.allCases, Outcome.settled)
  func attachedInsideHandler(_ settling: Settling, _ outcome: Outcome) {
    settling.settle(as: outcome) { promise in
      promise.onSettled(on: context) { _ in
        called.append(1)
        promise.onSettled(on: context) { _ in called.append(3) }
      }
      promise.onSettled(on: context) { _ in called.append(2) }
    }
    context.runUntilIdle()
    #expect(called.entries == [1, 2, 3])
  }

  @Test(
    "Two chains on one promise run in step, link by link (2.2.6)", .rule("2.1", "2.2"),
    arguments: Settling.allCases, Outcome.settled)
  func chainsInStep(_ settling: Settling, _ outcome: Outcome) {
    let called = Log<String>()
    settling.settle(as: outcome) { promise in
      for chain in ["a", "b"] {
        _ = (1...3).reduce(promise) { promise, link in
          Form.mapBoth.attach(to: promise, on: context) { _ in called.append("\(chain)\(link)", returning: link) }
        }
      }
    }
    context.runUntilIdle()
    #expect(called.entries == ["a1", "b1", "a2", "b2", "a3", "b3"])
  }
}
