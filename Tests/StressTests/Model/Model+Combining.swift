// Combinators (rules 4.8 and 7.1).

import PromiseCombinators

extension Model.Node {
  /// The inputs for which the combinator waits.
  var waitingInputs: [Int] {
    guard let combination else { return [] }
    return zip(combination.inputs, combination.isWaiting).filter(\.1).map(\.0)
  }

  /// Returns the places in the input at which the combinator still waits for the promise.
  func waitingNumbers(of promise: Int) -> [Int] {
    combination.map { made in made.inputs.indices.filter { made.isWaiting[$0] && made.inputs[$0] == promise } } ?? []
  }
}

extension Model {
  mutating func combine(_ combinator: Combinator, _ inputs: [Int], on thread: Int) {
    let number = put(
      Node(combination: Combination(combinator: combinator, inputs: inputs, isWaiting: inputs.map { _ in true })),
      on: thread)
    if let outcome = combinator.outcomeOfNothing(promise: number), inputs.isEmpty {
      settle(number, outcome, on: thread)
    }
    for (index, input) in inputs.enumerated() where nodes[input].isPublished {
      add(.take(number, input: index), on: thread)
    }
  }

  mutating func take(_ number: Int, input index: Int, on thread: Int) {
    guard isPending(number), nodes[number].combination?.isWaiting[index] == true else { return }
    nodes[number].combination?.isWaiting[index] = false
    guard let combination = nodes[number].combination, let outcome = nodes[combination.inputs[index]].outcome else {
      return
    }
    let input = combination.inputs[index]
    nodes[input].isLookedAt = true
    passOn(from: input, to: number)
    let isLast = !combination.isWaiting.contains(true)
    switch (combination.combinator, outcome) {
    case (.race, _), (.any, .value), (.all(.leaveRunning), .failure), (.all(.cancelRemaining), .failure):
      let others = nodes[number].waitingInputs
      end(number, outcome, via: input, on: thread)
      guard combination.combinator.givesUpOthers else { return }
      let reason = outcome.isCancelled ? outcome : .failure(.cancellation, isCancelled: true)
      let call = newCall()
      nodes[number].call = call
      for other in others { willGiveUp(other, by: nil, reason, call: call, on: thread) }
    case (.all(.waitForAll), .failure):
      if combination.firstFailure == nil { nodes[number].combination?.firstFailure = input }
      if isLast { endWithAll(number, on: thread) }
    case (.any, .failure) where isLast:
      if combination.inputs.allSatisfy({ nodes[$0].outcome?.isCancelled == true }) {
        end(number, outcome, via: input, on: thread)
      } else {
        end(number, .failure(.noneFulfilled(number), isCancelled: false), on: thread)
      }
    case (.all, .value) where isLast: endWithAll(number, on: thread)
    case (.allSettled(let count), _) where isLast:
      let values = combination.inputs.map { nodes[$0].outcome?.value }
      if values.count(where: { $0 != nil }) < count {
        end(number, .failure(.noneFulfilled(number), isCancelled: false), on: thread)
      } else {
        end(number, .value(Combinator.digest(values.map { $0 ?? -1 })), on: thread)
      }
    default: break
    }
  }

  private mutating func endWithAll(_ number: Int, on thread: Int) {
    guard let combination = nodes[number].combination else { return }
    if let failed = combination.firstFailure, let outcome = nodes[failed].outcome {
      end(number, outcome, via: failed, on: thread)
    } else {
      let values = combination.inputs.compactMap { nodes[$0].outcome?.value }
      end(number, .value(Combinator.digest(values)), on: thread)
    }
  }

  /// Settles the result. From now on, rejections of the other inputs count as handled (rule 7.1).
  private mutating func end(_ number: Int, _ outcome: Outcome, via input: Int? = nil, on thread: Int) {
    for other in nodes[number].waitingInputs { nodes[other].isLookedAt = true }
    settle(number, outcome, via: input, on: thread)
    forgetInputs(of: number)
  }

  /// Stops waiting for inputs, because the result is settled or is about to be.
  mutating func forgetInputs(of number: Int) {
    guard let count = nodes[number].combination?.inputs.count else { return }
    nodes[number].combination?.isWaiting = Array(repeating: false, count: count)
  }
}

extension Combinator {
  /// Returns the outcome of a combination without inputs.
  fileprivate func outcomeOfNothing(promise: Int) -> Outcome? {
    switch self {
    case .all: .value(Combinator.digest([]))
    case .allSettled(let count) where count <= 0: .value(Combinator.digest([]))
    case .allSettled, .any, .race: .failure(.emptyInput(promise), isCancelled: false)
    }
  }
}
