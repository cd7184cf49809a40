import PromiseCore
import TestSupport

/// Performs the steps of a model on promises.
final class Machine {
  private let context: ManualContext
  private var owners: [Deferred<Int>?]
  private(set) var promises: [Promise<Int>]
  private var logs: [Log<Model.Sight>]

  init(count: Int, grouping: Bool = false) {
    context = ManualContext(isGrouping: grouping)
    // The creation site tells one promise from another in errors.
    let owners = (0..<count).map { Deferred<Int>(line: UInt($0)) }
    self.owners = owners
    promises = owners.map(\.promise)
    logs = owners.map { _ in Log() }
  }

  /// Settles what is left, so that a leak check finds what the library forgot, and not what the program left undone.
  deinit {
    owners = []
    context.runUntilIdle()
  }

  var outcomes: [Model.Outcome?] { promises.map { Model.Outcome($0.result) } }
  var sights: [[Model.Sight]] { logs.map(\.entries) }

  /// Performs a step and runs all handlers that it made ready.
  func perform(_ step: Model.Step) -> Bool? {
    let answer = answer(to: step)
    context.runUntilIdle()
    return answer
  }

  private func answer(to step: Model.Step) -> Bool? {
    switch step {
    case .fulfill(let promise, let number): return owners[promise]?.fulfill(number)
    case .reject(let promise, let number): return owners[promise]?.reject(TestError(number))
    case .follow(let promise, let other): return owners[promise]?.follow(promises[other])
    case .attach(let promise, let tag):
      promises[promise].onSettled(on: context) { [log = logs[promise]] in
        log.append(Model.Sight(tag: tag, outcome: Model.Outcome($0)))
      }
    case .dropOwner(let promise): owners[promise] = nil
    case .derive(let parent, let kind): append(derived(from: promises[parent], kind))
    case .adopt(let parent, let other, let kind): append(adopting(promises[other], after: promises[parent], kind))
    }
    return nil
  }

  private func append(_ promise: Promise<Int>) {
    promises.append(promise)
    owners.append(nil)
    logs.append(Log())
  }

  private func derived(from parent: Promise<Int>, _ kind: Model.Kind) -> Promise<Int> {
    let line = UInt(promises.count)
    return switch kind {
    case .value: parent.map(on: context, line: line) { $0 }
    case .error: parent.recover(on: context, line: line) { throw $0 }
    case .both: parent.always(on: context, line: line) { _ in }
    }
  }

  private func adopting(_ other: Promise<Int>, after parent: Promise<Int>, _ kind: Model.Kind) -> Promise<Int> {
    let line = UInt(promises.count)
    return switch kind {
    case .value: parent.then(on: context, line: line) { _ in other }
    case .error: parent.rescue(on: context, line: line) { _ in other }
    case .both: parent.then(on: context, line: line, fulfilled: { _ in other }, rejected: { _ in other })
    }
  }
}

extension Model.Outcome {
  init?(_ result: Result<Int, any Error>?) {
    guard let result else { return nil }
    self.init(result)
  }

  init(_ result: Result<Int, any Error>) {
    switch result {
    case .success(let value): self = .value(value)
    case .failure(PromiseError.broken(let site)): self = .broken(site.line)
    case .failure(PromiseError.cycle(let site)): self = .cycle(site.line)
    case .failure(let error): self = .error((error as? TestError)?.number ?? .min)
    }
  }
}

/// Performs a program on the model and on promises, side by side. Returns what is different first, if anything is.
func firstDifference(in program: [Model.Step], count: Int, grouping: Bool = false) -> String? {
  // Comparing everything after each step takes most of the time: that is for programs that are known to go wrong.
  difference(in: program, count: count, grouping: grouping, afterEachStep: false) == nil
    ? nil : difference(in: program, count: count, grouping: grouping, afterEachStep: true)
}

private func difference(in program: [Model.Step], count: Int, grouping: Bool, afterEachStep: Bool) -> String? {
  var model = Model(count: count)
  let machine = Machine(count: count, grouping: grouping)
  for (index, step) in program.enumerated() {
    let expected = model.perform(step)
    let answer = machine.perform(step)
    if model.isAmbiguous { return nil }
    let place = { "\(program)\nstep \(index), \(step):" }
    if answer != expected { return "\(place()) answers \(answer as Bool?), not \(expected as Bool?)" }
    guard afterEachStep || index == program.count - 1 else { continue }
    if machine.outcomes != model.outcomes { return "\(place()) outcomes \(machine.outcomes), not \(model.outcomes)" }
    if machine.sights != model.sights { return "\(place()) sights \(machine.sights), not \(model.sights)" }
  }
  return nil
}
