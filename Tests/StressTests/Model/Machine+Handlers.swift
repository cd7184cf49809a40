import PromiseCombinators
import TestSupport

extension Machine {
  /// The handler of a client. Its capture is released together with it.
  private struct Body: Sendable {
    let machine: Machine
    let number: Int
    let behaviour: Step.Behaviour
    let capture: Tracked

    func number(for seenOutcome: SeenOutcome, _ error: (any Error)? = nil) throws -> Int {
      begin(seenOutcome)
      switch behaviour.result {
      case .gives(let number), .adopts(let number): return number
      case .fails(let failure): throw failure.error
      case .throwsAgain: throw error ?? TestError(-1)
      }
    }

    func promise(for seenOutcome: SeenOutcome, _ error: (any Error)? = nil) throws -> Promise<Int> {
      begin(seenOutcome)
      switch behaviour.result {
      case .gives(let number): return .fulfilled(number)
      case .fails(let failure): throw failure.error
      case .throwsAgain: throw error ?? TestError(-1)
      case .adopts(let number):
        guard let promise = machine.promise(number) else { throw TestError(-1) }
        return promise
      }
    }

    func begin(_ seenOutcome: SeenOutcome) {
      machine.note(.ran(handler: number, seenOutcome))
      guard let first = behaviour.first else { return }
      machine.note(.answered(machine.perform(first)))
    }

    func callAsFunction(_ value: Int) throws -> Int { try number(for: .value(value)) }
    func callAsFunction(_ error: any Error) throws -> Int { try number(for: SeenOutcome(.failure(error)), error) }
    func promise(_ value: Int) throws -> Promise<Int> { try promise(for: .value(value)) }
    func promise(_ error: any Error) throws -> Promise<Int> { try promise(for: SeenOutcome(.failure(error)), error) }
    func look(_ result: Result<Int, any Error>) { begin(SeenOutcome(result)) }
  }

  private func bodies(_ kind: Kind, _ behaviour: Step.Behaviour) -> (Body, Body) {
    let (number, captures) = newHandler(kind)
    let bodies = captures.map { Body(machine: self, number: number, behaviour: behaviour, capture: $0) }
    return (bodies[0], bodies[bodies.count - 1])
  }

  func link(
    from source: Promise<Int>, _ kind: Kind, on context: any ExecutionContext, _ behaviour: Step.Behaviour
  ) -> Promise<Int> {
    let line = nextLine
    let (body, other) = bodies(kind, behaviour)
    switch kind {
    case .tap: return source.tap(on: context, line: line) { _ = try body($0) }
    case .validate: return source.validate(on: context, line: line) { try body($0) != 0 }
    case .compactMap:
      return source.compactMap(on: context, line: line) { value -> Int? in
        let number = try body(value)
        return number == 0 ? nil : number
      }
    case .then: return source.then(on: context, line: line) { try body.promise($0) }
    case .recover: return source.recover(on: context, line: line) { try body($0) }
    case .rescue: return source.rescue(on: context, line: line) { try body.promise($0) }
    case .catch: return source.catch(on: context, line: line) { body.look(.failure($0)) }
    case .mapError: return source.mapError(on: context, line: line) { TestError(try body($0)) }
    case .mapBoth: return source.map(on: context, line: line, fulfilled: { try body($0) }, rejected: { try other($0) })
    case .thenBoth:
      return source.then(
        on: context, line: line, fulfilled: { try body.promise($0) }, rejected: { try other.promise($0) })
    case .always: return source.always(on: context, line: line) { body.look($0) }
    case .alwaysThen:
      return source.alwaysThen(on: context, line: line) { result in
        switch result {
        case .success(let value): try body.promise(value)
        case .failure(let error): try body.promise(error)
        }
      }
    case .heavyMap: return source.map(on: context, weight: kind.weight, line: line) { try body($0) }
    case .heavyThen, .weightlessThen:
      return source.then(on: context, weight: kind.weight, line: line) { try body.promise($0) }
    default: return source.map(on: context, line: line) { try body($0) }
    }
  }

  func start(_ kind: Kind, on context: any ExecutionContext, _ behaviour: Step.Behaviour) -> Promise<Int> {
    let line = nextLine
    let (body, _) = bodies(kind, behaviour)
    guard kind == .body else { return .run(on: context, line: line) { try body.number(for: .start) } }
    return Promise(on: context, line: line) { owner in
      body.begin(.start)
      switch behaviour.result {
      case .gives(let number): owner.fulfill(number)
      case .fails(let failure): throw failure.error
      case .throwsAgain: throw TestError(-1)
      case .adopts(let number):
        guard let promise = body.machine.promise(number) else { throw TestError(-1) }
        owner.follow(promise)
      }
    }
  }

  func observe(_ number: Int, _ kind: Kind, on context: any ExecutionContext, doing act: Step?) {
    guard let source = promise(number) else { return }
    let (body, _) = bodies(kind, Step.Behaviour(first: act, result: .gives(0)))
    switch kind {
    case .onFulfilled: source.onFulfilled(on: context) { body.look(.success($0)) }
    case .onProgress:
      let log = ProgressLog(of: number, isKept: !(context is DroppingContext))
      note(log)
      source.onProgress(on: context) { value in
        log.note(value)
        withExtendedLifetime(body) {}
      }
    case .onFailed: source.onFailed(on: context) { body.look(.failure($0)) }
    case .onRejected: source.onRejected(on: context) { body.look(.failure($0)) }
    default: source.onSettled(on: context) { body.look($0) }
    }
  }

  /// Combines promises with values of one type for all combinators. For that, it calls the functions on which the
  /// combinators of the library are built.
  func combine(_ combinator: Combinator, _ promises: [Promise<Int>]) -> Promise<Int> {
    let site = CreationSite(line: nextLine)
    let values = { @Sendable in
      promises.map { promise in
        if case .success(let value) = Promise<Int>.settledOutcome(of: promise) { value } else { -1 }
      }
    }
    switch combinator {
    case .all(let policy):
      return .all(of: promises, onRejection: policy, at: site) { Combinator.digest(values()) }
    case .allSettled(let count):
      return .allSettled(of: promises, atLeast: count, at: site) { Combinator.digest(values()) }
    case .any(let cancelsLosers): return .any(of: promises, cancelsLosers: cancelsLosers, at: site)
    case .race(let cancelsLosers): return .race(of: promises, cancelsLosers: cancelsLosers, at: site)
    case .some(let count, let cancelsLosers):
      return .some(of: promises, count: count, cancelsLosers: cancelsLosers, at: site) { arrived in
        Combinator.digest(arrived.map { Promise<Int>.settledValue(of: $0) })
      }
    }
  }
}
