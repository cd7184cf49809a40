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
    if let outcome = combinator.outcomeAtOnce(of: inputs.count, promise: number) {
      endWithLosers(number, outcome, on: thread)
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
    nodes[input].looks += 1
    passOn(from: input, to: number)
    let isLast = !combination.isWaiting.contains(true)
    switch (combination.combinator, outcome) {
    case (.race, _), (.any, .value), (.all(.leaveRunning), .failure), (.all(.cancelRemaining), .failure):
      endWithLosers(number, outcome, via: input, on: thread)
    case (.some(let count, _), _):
      nodes[number].combination?.arrived.append(input)
      decide(number, of: combination.inputs.count, needing: count, after: input, outcome, on: thread)
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

  /// Settles the result of `some` if the input that has arrived decides.
  private mutating func decide(
    _ number: Int, of inputs: Int, needing count: Int, after input: Int, _ outcome: Outcome, on thread: Int
  ) {
    let arrived = nodes[number].combination?.arrived.compactMap { nodes[$0].outcome } ?? []
    let values = arrived.compactMap(\.value)
    if outcome.value != nil {
      if values.count == count { endWithLosers(number, .value(Combinator.digest(values)), on: thread) }
      return
    }
    let rejected = arrived.filter { $0.value == nil }
    guard inputs - rejected.count == count - 1 else { return }
    if rejected.allSatisfy(\.isCancelled) { return endWithLosers(number, outcome, via: input, on: thread) }
    endWithLosers(number, .failure(.noneFulfilled(number), isCancelled: false), because: outcome, on: thread)
  }

  /// Settles the result, and gives up the other inputs if the combinator says so.
  ///
  /// - Parameter decisive: the outcome of the input that has decided. `nil` if it is that of the result.
  private mutating func endWithLosers(
    _ number: Int, _ outcome: Outcome, via input: Int? = nil, because decisive: Outcome? = nil, on thread: Int
  ) {
    let others = nodes[number].waitingInputs
    end(number, outcome, via: input, on: thread)
    guard nodes[number].combination?.combinator.givesUpOthers == true else { return }
    let decisive = decisive ?? outcome
    let reason = decisive.isCancelled ? decisive : .failure(.cancellation, isCancelled: true)
    let call = newCall()
    nodes[number].call = call
    for other in others { willGiveUp(other, by: nil, reason, call: call, on: thread) }
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
    for other in nodes[number].waitingInputs { nodes[other].looks += 1 }
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
  /// Returns the outcome of a result that waits for no input.
  fileprivate func outcomeAtOnce(of inputs: Int, promise: Int) -> Outcome? {
    switch self {
    case .some(let count, _) where count <= 0: return .value(Combinator.digest([]))
    case .some(let count, _) where count > inputs && inputs > 0:
      return .failure(.noneFulfilled(promise), isCancelled: false)
    case _ where inputs > 0: return nil
    case .all: return .value(Combinator.digest([]))
    case .allSettled(let count) where count <= 0: return .value(Combinator.digest([]))
    case .allSettled, .any, .race, .some: return .failure(.emptyInput(promise), isCancelled: false)
    }
  }
}
