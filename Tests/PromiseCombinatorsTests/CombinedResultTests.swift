import PromiseCombinators
import TestSupport
import Testing

/// What happens to one of three inputs. Its place is also its value, and the number of its error or reason.
enum InputEvent: Sendable {
  case fulfill(Int)
  case reject(Int)
  case cancel(Int)

  func happen(to owners: [Deferred<Int>]) {
    switch self {
    case .fulfill(let place): owners[place].fulfill(place)
    case .reject(let place): owners[place].reject(TestError(place))
    case .cancel(let place): owners[place].promise.cancel(reason: TestError(place))
    }
  }
}

/// A call of a combinator, the events that settle its result, and the outcome.
struct CombinedResult: Sendable, CustomTestStringConvertible {
  /// Combines the inputs, and returns a function that describes the outcome.
  typealias Combine = @Sendable ([Promise<Int>]) -> () -> String

  let testDescription: String
  /// The last of these events settles the result. Without events, the result is settled when the call returns.
  let events: [InputEvent]
  let outcome: String
  /// Whether the combinator cancels the inputs that are pending when its result is settled.
  let cancelsRest: Bool
  let combine: Combine

  init(
    _ name: String, _ events: [InputEvent], _ outcome: String, cancelsRest: Bool = false, _ combine: @escaping Combine
  ) {
    testDescription = "\(name) → \(outcome)"
    self.events = events
    self.outcome = outcome
    self.cancelsRest = cancelsRest
    self.combine = combine
  }

  static let all: [CombinedResult] = [
    .init("all", fulfilments, "[0, 1, 2]") { result(Promise.all($0)) },
    .init("all, first error in time", [.reject(1)], "error 1") { result(Promise.all($0)) },
    .init("all, cancelled input", [.cancel(1)], "cancelled, error 1") { result(Promise.all($0)) },
    .init("all, waiting", [.reject(1), .reject(0), .fulfill(2)], "error 1") {
      result(Promise.all($0, onRejection: .waitForAll))
    },
    .init("all, same input twice", [.fulfill(0), .fulfill(1)], "[0, 1, 0]") {
      result(Promise.all([$0[0], $0[1], $0[0]]))
    },
    .init("all, one pending input", [.fulfill(2)], "[7, 2, 8]") {
      result(Promise.all([.fulfilled(7), $0[2], .fulfilled(8)]))
    },
    .init("all of none", [], "[]") { _ in result(Promise.all([Promise<Int>]())) },
    .init("all of a lazy sequence", [], "[1, 2, 3]") { _ in
      result(Promise.all((1...3).lazy.map { Promise.fulfilled($0) }))
    },
    .init("all, settled errors", [], "error 4") { _ in
      result(Promise.all([.fulfilled(1), .rejected(TestError(4)), Promise<Int>.rejected(TestError(5))]))
    },
    .init("all of two types", [.fulfill(0), .fulfill(1)], "(0, \"1\")") {
      result(Promise.all($0[0], $0[1].map(on: .atOnce) { "\($0)" }))
    },
    .init("all of four types", [], "(1, \"b\", 3.0, [4])") { _ in
      result(Promise.all(.fulfilled(1), .fulfilled("b"), .fulfilled(3.0), .fulfilled([4])))
    },

    .init("allSettled", [.reject(2), .cancel(1), .fulfill(0)], "0, error 1, error 2") { described(.allSettled($0)) },
    .init("allSettled of none", [], "") { _ in described(.allSettled([])) },
    .init("allSettled, settled inputs", [], "1, error 2") { _ in
      described(.allSettled([.fulfilled(1), .rejected(TestError(2))]))
    },
    .init("allSettled, first input pending", [.fulfill(2)], "2, 8") { described(.allSettled([$0[2], .fulfilled(8)])) },
    .init("allSettled(atLeast: 1) of none", [], "no input") { _ in described(.allSettled([], atLeast: 1)) },
    .init("allSettled(atLeast: -1) of none", [], "") { _ in described(.allSettled([], atLeast: -1)) },
    .init("allSettled of types", [.fulfill(0)], "0, error 2, true") {
      let all = Promise.allSettled($0[0], Promise<String>.rejected(TestError(2)), Promise.fulfilled(true))
      return result(all) { [text($0.0), text($0.1), text($0.2)].joined(separator: ", ") }
    },

    .init("any, error before the value", [.reject(0), .fulfill(2)], "2") { result(.any($0)) },
    .init("any, all rejected", rejections, "none of [0, 1, 2] at Here:9") { result(.any($0, fileID: "Here", line: 9)) },
    .init("any, all cancelled", [.cancel(0), .cancel(1), .cancel(2)], "cancelled, error 2") { result(.any($0)) },
    .init("any, one rejected", [.cancel(0), .reject(1), .cancel(2)], "none of [0, 1, 2] at Here:9") {
      result(.any($0, fileID: "Here", line: 9))
    },
    .init("any of none", [], "no input") { _ in result(Promise<Int>.any([])) },
    .init("any of listed promises", [.reject(0), .fulfill(1)], "1") { result(.any($0[0], $0[1], $0[2])) },

    .init("race, error", [.reject(1)], "error 1") { result(.race($0)) },
    .init("race, cancelled input", [.cancel(0)], "cancelled, error 0") { result(.race($0)) },
    .init("race, settled value", [], "5") { result(.race([$0[2], .fulfilled(5), .rejected(TestError())])) },
    .init("race, settled error", [], "error 6") { result(.race([$0[2], .rejected(TestError(6)), .fulfilled(5)])) },
    .init("race of none", [], "no input") { _ in result(Promise<Int>.race([])) },
    .init("race of listed promises", [.reject(0)], "error 0") { result(.race($0[0], $0[1])) },
  ]

  /// Combinators that say which input an outcome comes from.
  static let keyed: [CombinedResult] = [
    .init("all, keyed", fulfilments, "a: 0, b: 1, c: 2") { result(Promise.all(keys($0)), text) },
    .init("all, keyed, first error", [.reject(1)], "error 1") { result(Promise.all(keys($0))) },
    .init("all, keyed, cancelling", [.reject(1)], "error 1", cancelsRest: true) {
      result(Promise.all(keys($0), onRejection: .cancelRemaining))
    },
    .init("all, keyed, waiting", [.reject(1), .fulfill(0), .cancel(2)], "error 1") {
      result(Promise.all(keys($0), onRejection: .waitForAll))
    },
    .init("all of no keys", [], "[:]") { _ in result(Promise.all(keys([]))) },
    .init("allSettled, keyed", mixed, "a: 0, b: error 1, c: error 2") {
      result(Promise.allSettled(keys($0))) { outcomes in text(outcomes.mapValues { text($0) }) }
    },
    .init("allSettled of no keys", [], "[:]") { _ in result(Promise.allSettled(keys([]))) },
    .init("allSettled(atLeast: 1), keyed", mixed, "3") {
      result(Promise.allSettled(keys($0), atLeast: 1)) { "\($0.count)" }
    },
    .init("allSettled(atLeast: 2), keyed", mixed, "none of [1, 2] at Here:9") {
      result(Promise.allSettled(keys($0), atLeast: 2, fileID: "Here", line: 9), hasOrder: false)
    },
    .init("allSettled(atLeast: 1) of no keys", [], "no input") { _ in
      result(Promise.allSettled(keys([]), atLeast: 1))
    },

    .init("any, keyed, all rejected", rejections, "none of [0, 1, 2] at Here:9") {
      result(Promise.any(keys($0), fileID: "Here", line: 9), hasOrder: false)
    },
    .init("any, keyed, all cancelled", [.cancel(0)], "cancelled, error 0") { result(Promise.any(keys([$0[0]]))) },
    .init("any of no keys", [], "no input") { _ in result(Promise.any(keys([]))) },
    .init("any, enumerating, all rejected", rejections, "none of [0, 1, 2] at Here:9") {
      result(Promise.any(enumerating: $0, fileID: "Here", line: 9))
    },
    .init("any, enumerating, all cancelled", [.cancel(0), .cancel(2)], "cancelled, error 2") {
      result(Promise.any(enumerating: [$0[0], $0[2]]))
    },
    .init("any, enumerating none", [], "no input") { _ in result(Promise.any(enumerating: [Promise<Int>]())) },
    .init("any, enumerating settled inputs", [], "(offset: 1, value: 1)") { _ in
      result(Promise.any(enumerating: [.rejected(TestError(0)), .fulfilled(1), .fulfilled(2)]))
    },

    .init("race, keyed", [.fulfill(1)], "(key: \"b\", value: 1)") { result(Promise.race(keys($0))) },
    .init("race, keyed, cancelled input", [.cancel(2)], "cancelled, error 2") { result(Promise.race(keys($0))) },
    .init("race of no keys", [], "no input") { _ in result(Promise.race(keys([]))) },
    // The offset counts from 0, even in a slice.
    .init("race, enumerating a slice", [.fulfill(1)], "(offset: 0, value: 1)") {
      result(Promise.race(enumerating: $0[1...]))
    },
    .init("race, enumerating, cancelled input", [.cancel(2)], "cancelled, error 2") {
      result(Promise.race(enumerating: $0))
    },
    .init("race, enumerating none", [], "no input") { _ in result(Promise.race(enumerating: [Promise<Int>]())) },
    .init("race, enumerating settled inputs", [], "(offset: 1, value: 1)") {
      result(Promise.race(enumerating: [$0[0], .fulfilled(1), .fulfilled(1)]))
    },
    .init("race, enumerating equal inputs", [.fulfill(1)], "(offset: 1, value: 1)") {
      result(Promise.race(enumerating: [$0[0], $0[1], $0[1]]))
    },
  ]

  static let enoughValues = (0...4).map { count in
    let outcome = count <= 2 ? "0, error 1, 2" : "none of [1]"
    return CombinedResult("allSettled(atLeast: \(count))", [.fulfill(0), .reject(1), .fulfill(2)], outcome) {
      described(.allSettled($0, atLeast: count))
    }
  }

  static let enoughTypes = (0...3).map { count in
    CombinedResult("allSettled(atLeast: \(count)) of types", [.fulfill(0)], count <= 2 ? "settled" : "none of [2]") {
      let all = Promise.allSettled(
        $0[0], Promise<String>.rejected(TestError(2)), Promise.fulfilled(true), atLeast: count)
      return result(all) { _ in "settled" }
    }
  }

  /// `any` with each input as the winner, after another input was rejected.
  static let winners = (0...2).flatMap { winner in
    let events = [InputEvent.reject((winner + 1) % 3), .fulfill(winner)]
    return [
      CombinedResult("any, keyed", events, "(key: \"\(["a", "b", "c"][winner])\", value: \(winner))") {
        result(Promise.any(keys($0)))
      },
      CombinedResult("any, enumerating", events, "(offset: \(winner), value: \(winner))") {
        result(Promise.any(enumerating: $0))
      },
    ]
  }
}

@Suite("Results of combinators") struct CombinedResultTests {
  @Test(
    "A result is settled by the event that decides it, with the values, the outcomes or the errors of its inputs",
    .rule("1.2", "4.8"),
    arguments: CombinedResult.all + CombinedResult.enoughValues + CombinedResult.enoughTypes + CombinedResult.winners
      + CombinedResult.keyed + CombinedResult.quorums)
  func settles(_ kind: CombinedResult) {
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let inputs = owners.map(\.promise)
    let outcome = kind.combine(inputs)
    for event in kind.events {
      #expect(outcome() == "pending")
      event.happen(to: owners)
    }
    #expect(outcome() == kind.outcome)
    // No input stays pending that has had an event.
    let rest = inputs.filter { $0.isPending || kind.cancelsRest && $0.isCancelled }
    #expect(rest.count == 3 - kind.events.count)
    #expect(rest.allSatisfy { $0.isCancelled == kind.cancelsRest })
    for owner in owners where owner.promise.isPending { owner.reject(TestError(9)) }
    #expect(outcome() == kind.outcome)
  }
}

private let fulfilments: [InputEvent] = [.fulfill(2), .fulfill(0), .fulfill(1)]
private let rejections: [InputEvent] = [.reject(2), .reject(0), .reject(1)]
private let mixed: [InputEvent] = [.fulfill(0), .cancel(1), .reject(2)]

private func keys(_ inputs: [Promise<Int>]) -> [String: Promise<Int>] {
  Dictionary(uniqueKeysWithValues: zip(["a", "b", "c"], inputs))
}

private func text(_ result: Result<some Sendable, any Error>) -> String {
  switch result {
  case .success(let value): "\(value)"
  case .failure(let error): "error \(number(of: error))"
  }
}

private func text(_ values: [String: some Sendable]) -> String {
  values.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ")
}

private func number(of error: any Error) -> Int { (error as? TestError)?.number ?? -1 }

extension CombinedResult {
  /// Returns a function that describes the outcome of the promise. If the inputs have no order, neither have their
  /// errors.
  static func result<Value>(
    _ promise: Promise<Value>, hasOrder: Bool = true, _ text: @escaping (Value) -> String = { "\($0)" }
  ) -> () -> String {
    {
      let mark = promise.isCancelled ? "cancelled, " : ""
      switch promise.result {
      case nil: return "pending"
      case .success(let value): return text(value)
      case .failure(PromiseError.emptyInput): return mark + "no input"
      case .failure(PromiseError.noneFulfilled(let errors, let site)):
        let numbers = errors.map(number)
        return "\(mark)none of \(hasOrder ? numbers : numbers.sorted())" + (site.line == 9 ? " at \(site)" : "")
      case .failure(let error): return "\(mark)error \(number(of: error))"
      }
    }
  }

  fileprivate static func described(_ promise: Promise<[Result<Int, any Error>]>) -> () -> String {
    result(promise) { $0.map { text($0) }.joined(separator: ", ") }
  }
}
