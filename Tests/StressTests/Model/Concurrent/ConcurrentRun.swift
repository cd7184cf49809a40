import TestSupport

/// Runs a concurrent program again and again.
struct ConcurrentRun {
  let program: ConcurrentProgram
  private let model: Model

  /// Creates a run, or `nil` if the contract leaves open how the prefix ends.
  init?(_ program: ConcurrentProgram, breaking brokenRule: BrokenRule? = nil) {
    self.program = program
    var model = Model(threads: program.threads.count, breaking: brokenRule)
    let machine = Machine()
    defer { _ = machine.finish() }
    for step in program.prefix {
      _ = Machine.$current.withValue(machine) { machine.perform(step) }
      _ = model.perform(step, seen: machine.takeEvents())
      if model.isOpen { return nil }
    }
    self.model = model.reserving(for: program)
  }

  /// Returns the histories of many rounds. The rounds share threads, because starting threads takes long.
  func histories(_ rounds: Int) -> [History] {
    let machines = (0..<rounds).map { _ in Machine(threads: program.threads.count) }
    let hooks = machines.map { machine in
      let nextNumbers = program.nextNumbers(
        after: model.nodes.count - program.countOfPromises, model.handlers.count - program.countOfHandlers)
      let events = Machine.$current.withValue(machine) {
        program.prefix.flatMap { step in
          _ = machine.perform(step)
          return machine.takeEvents()
        }
      }
      machine.reserve(promises: program.countOfPromises, handlers: program.countOfHandlers, nextNumbers: nextNumbers)
      return events.filter(\.isHook)
    }
    let seen = Locked(machines.map { _ in program.threads.map { _ in [History.Observation]() } })
    let duels = machines.enumerated().map { round, machine in
      Duel(
        program.threads.enumerated().map { thread, steps in
          {
            let observations = Machine.$thread.withValue(thread) {
              Machine.$current.withValue(machine) {
                steps.map { step in
                  let answer = machine.perform(step)
                  return History.Observation(answer: step.isReport ? nil : answer, events: machine.takeEvents())
                }
              }
            }
            seen.withLock { $0[round][thread] = observations }
          }
        }
      ) { nil }
    }
    Duel.fight(duels, rounds: Array(machines.indices), delay: 300)
    let observations = seen.withLock { $0 }
    return machines.indices.map { round in
      Machine.$current.withValue(machines[round]) {
        history(observations[round], machines[round], hooks[round])
      }
    }
  }

  private func history(_ seen: [[History.Observation]], _ machine: Machine, _ hooks: [Event]) -> History {
    let countOfPromises = model.nodes.count
    var history = History(threads: seen)
    func take(_ step: Step) -> Bool {
      let answer = machine.perform(step)
      let events = machine.takeEvents()
      history.tail.append(.init(step: step, seen: .init(answer: answer, events: events)))
      return events.isEmpty
    }
    func runAll() {
      while !(0..<Step.countOfContexts - 1).allSatisfy({ take(.run($0)) }) {}
    }
    runAll()
    for promise in 0..<countOfPromises { _ = take(.dropOwner(promise)) }
    runAll()
    history.outcomes = (0..<countOfPromises).map { machine.promise($0).flatMap { Outcome($0) }?.withoutCycle }
    let all = hooks + history.threads.joined().flatMap(\.events) + history.tail.flatMap(\.seen.events)
    for case .hook(let promise, _, _) in all { history.hooks[promise, default: 0] += 1 }
    history.differenceOfProgress = machine.differenceOfProgress(in: program.prefix + program.threads.joined())
    let left = machine.finish()
    history.countOfLeft = left.promises + left.captures
    return history.withoutHooks
  }

  func verdict(on history: History) -> Explanation.Verdict {
    Explanation.verdict(on: history, of: program, from: model)
  }
}

extension History {
  fileprivate var withoutHooks: History {
    var history = self
    for thread in threads.indices {
      for index in threads[thread].indices { history.threads[thread][index].clean() }
    }
    history.tail = tail.map { late in
      var seen = late.seen
      seen.clean()
      return Late(step: late.step, seen: seen)
    }
    return history
  }
}

extension History.Observation {
  fileprivate mutating func clean() { events = events.filter { !$0.isHook }.map(\.withoutCycle) }
}

extension Model {
  fileprivate func reserving(for program: ConcurrentProgram) -> Model {
    var model = self
    model.events = []
    model.nextNumbers = program.nextNumbers(after: nodes.count, handlers.count).map { $0 }
    // The program does not hold a promise that was never made, for instance because its source had been released.
    model.nodes += Array(repeating: Node(isHeld: false), count: program.countOfPromises)
    model.handlers += Array(
      repeating: Handler(
        kind: .shielded, source: nil, target: nil, context: 0, behaviour: .gives(0), order: 0, state: .gone),
      count: program.countOfHandlers)
    return model
  }
}
