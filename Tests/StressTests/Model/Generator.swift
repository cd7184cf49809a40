import PromiseCombinators
import TestSupport

/// Generates programs from a seed, which determines them.
struct Generator {
  private var random: Seeded
  var promises = 0
  private var handlers = 0
  var owners: [Int] = []
  var held: [Int] = []
  var steps: [Step] = []
  private var awaited: [Int] = []
  /// The number of the next value or error. All numbers are different.
  var number = 0
  /// The promises that all threads have from the beginning, or `nil` if there is one thread.
  private var known: [Int]?
  private let isAlone: Bool

  /// Returns the program of a seed.
  ///
  /// - Parameter isAlone: Whether no threads follow the program. The model of several threads does not know all kinds
  ///   of steps.
  static func program(_ seed: UInt64, length: ClosedRange<Int> = 4...36, isAlone: Bool = true) -> [Step] {
    var generator = Generator(random: Seeded(seed), isAlone: isAlone)
    return generator.program(length)
  }

  /// Creates a generator for the steps that threads take after a prefix.
  init(after prefix: [Step], random: Seeded) {
    (self.random, isAlone) = (random, false)
    for step in prefix {
      if step.makesPromise {
        if step == .make { owners.append(promises) }
        held.append(promises)
        promises += 1
      }
      if case .drop(let promise) = step { held.removeAll { $0 == promise } }
      if case .dropOwner(let promise) = step { owners.removeAll { $0 == promise } }
    }
    number = 100
    known = held
  }

  private init(random: Seeded, isAlone: Bool) { (self.random, self.isAlone) = (random, isAlone) }

  private mutating func program(_ lengths: ClosedRange<Int>) -> [Step] {
    let length = Int.random(in: lengths, using: &random)
    addPromise(.make, isOwned: true)
    while steps.count < length {
      number += 1
      if isAlone, roll(4) == 0 { addStepAlone() } else { addStep() }
    }
    return steps
  }

  /// Adds a step of a kind that threads do not take.
  private mutating func addStepAlone() {
    switch roll(24) {
    case ..<5 where promises < 14: addCombination()
    case ..<8: if let step = wait() { steps.append(step) }
    case ..<9: if let promise = pick(awaited) { steps.append(.cancelTasks(promise)) }
    case ..<12: if let owner = pick(owners) { steps.append(.report(owner, eighths: roll(13) - 1)) }
    case ..<14: if let promise = pick(held) { steps.append(.look(promise)) }
    case ..<15: if let owner = pick(owners) { steps.append(.hook(owner, doing: act(among: held))) }
    case ..<17:
      guard let owner = pick(owners), let returned = pick(held) else { return }
      let act = roll(3) == 0 ? act(among: held) : nil
      steps.append(.awaitedHook(owner, flip() ? .cancel : .anyEnd, returning: returned, doing: act))
    case ..<21 where promises < 13 && handlers < 30: addCleanup()
    case ..<22 where promises < 13 && handlers < 29: addLateReturn()
    case ..<23 where promises < 12 && handlers < 30: addReporter()
    default:
      guard handlers < 30, let promise = pick(held) else { return }
      steps.append(.observe(promise, observer(), on: context(), doing: act(among: held)))
      handlers += 1
    }
  }

  mutating func addCombination() {
    let combinators: [Combinator] = [
      .all(.leaveRunning), .all(.cancelRemaining), .all(.waitForAll), .allSettled(atLeast: roll(3)),
      .any(cancelsLosers: flip()), .race(cancelsLosers: flip()), .some(roll(4), cancelsLosers: flip()),
    ]
    // Combinations without inputs are rare. A promise may be an input more than once.
    let inputs = (0..<(roll(30) == 0 ? 0 : 1 + roll(3))).compactMap { _ in pick(held) }
    addPromise(.combine(combinators[roll(combinators.count)], inputs))
  }

  private mutating func wait() -> Step? {
    guard handlers < 30, let promise = pick(held) else { return nil }
    handlers += 1
    awaited.append(promise)
    return .await(promise, isCancelled: roll(8) == 0, cancelsSource: flip())
  }

  private mutating func addStep() {
    // Settling is rare, so that structures grow before they settle.
    switch roll(100) {
    case ..<10 where promises < 14: addPromise(.make, isOwned: true)
    case ..<38 where promises < 14 && handlers < 30: addLink()
    case ..<42 where promises < 14: if let source = pick(held) { addPromise(.shield(source), isHandled: true) }
    case ..<45 where promises < 14:
      addPromise(.start(flip() ? .run : .body, on: context(), behaviour(adopting: true)), isHandled: true)
    case ..<51 where handlers < 30:
      guard let promise = pick(held) else { return }
      steps.append(.observe(promise, observer(), on: context()))
      handlers += 1
    case ..<59: if let owner = pick(owners) { steps.append(.settle(owner, ending())) }
    case ..<66: if let owner = pick(owners), let other = pick(held) { steps.append(.follow(owner, other)) }
    case ..<75: if let promise = pick(held) { steps.append(.cancel(promise, failure(), upstream: flip())) }
    case ..<78: if let owner = pick(owners) { steps.append(.hook(owner)) }
    case ..<80:
      guard let owner = pick(owners) else { return }
      owners.removeAll { $0 == owner }
      steps.append(.dropOwner(owner))
    case ..<83:
      guard held.count > 1, let promise = pick(held) else { return }
      held.removeAll { $0 == promise }
      steps.append(.drop(promise))
    case ..<84: steps.append(.dropJobs(roll(3)))
    default: steps.append(.run(roll(3)))
    }
  }

  mutating func addLink() {
    guard let source = pick(held) else { return }
    let kinds = isAlone ? Kind.links : Kind.linksOfThreads
    let kind = kinds[roll(kinds.count)]
    addPromise(.link(source, kind, on: context(), behaviour(adopting: kind.adopts)), isHandled: true)
  }

  /// Adds a cleanup that ends when the owner of a new promise says so. Other cleanups are mostly over at once.
  private mutating func addCleanup() {
    guard let source = pick(held) else { return }
    let cleanup = promises
    addPromise(.make, isOwned: true)
    let act = roll(6) == 0 ? act(among: held + [promises]) : nil
    let behaviour = Step.Behaviour(first: act, result: .adopts(cleanup))
    addPromise(.link(source, .alwaysThen, on: context(), behaviour), isHandled: true)
  }

  /// Adds a handler that returns a promise although its own was cancelled, either while the handler ran or before.
  private mutating func addLateReturn() {
    guard let source = pick(held), let other = pick(held) else { return }
    // The handler of the returned promise runs when that is given up.
    let returned = promises
    addPromise(.link(other, .always, on: context(), .gives(number)), isHandled: true)
    let isBefore = flip()
    let cancel = Step.cancel(promises, failure(), upstream: !isBefore && flip())
    let behaviour = Step.Behaviour(first: isBefore ? nil : cancel, result: .adopts(returned))
    addPromise(.link(source, .thenBoth, on: context(), behaviour), isHandled: true)
    if isBefore { steps.append(cancel) }
  }

  /// Adds a handler that returns a promise whose owner reports progress before, and looks at the progress after it.
  private mutating func addReporter() {
    let source = promises
    addPromise(.make, isOwned: true)
    addPromise(.make, isOwned: true)
    steps.append(.report(source + 1, eighths: 1 + roll(7)))
    let kinds: [Kind] = [.then, .thenBoth, .heavyThen, .rescue]
    let context = roll(3)
    addPromise(.link(source, kinds[roll(kinds.count)], on: context, .adopts(source + 1)), isHandled: true)
    steps += [.settle(source, ending()), .run(context), .look(source + 2)]
  }

  mutating func addPromise(_ step: Step, isOwned: Bool = false, isHandled: Bool = false) {
    steps.append(step)
    held.append(promises)
    if isOwned { owners.append(promises) }
    if isHandled { handlers += 1 }
    promises += 1
  }

  /// Returns a behaviour for the handler of the promise that is about to be derived. It may concern that
  /// promise, too, because a handler may return or cancel it.
  private mutating func behaviour(adopting: Bool) -> Step.Behaviour {
    let all = known ?? held + [promises]
    let result: Step.Behaviour =
      switch roll(8) {
      case ..<5 where adopting: .adopts(all[roll(all.count)])
      case ..<6: .gives(roll(4) == 0 ? 0 : number)
      case 6 where isAlone && flip(): Step.Behaviour(result: .throwsAgain)
      default: .fails(failure())
      }
    guard roll(6) == 0, let act = act(among: all) else { return result }
    return .first(act, result)
  }

  /// Returns a step for a handler or a hook.
  private mutating func act(among all: [Int]) -> Step? {
    let promise = all[roll(all.count)]
    switch roll(isAlone ? 12 : 8) {
    case ..<4: return .cancel(promise, failure(), upstream: flip())
    case ..<6: return pick(owners).map { .settle($0, ending()) }
    case ..<8: return pick(owners).map { .follow($0, promise) }
    case ..<9: return .observe(promise, observer(), on: context())
    case ..<10: return roll(2) == 0 ? .await(promise) : .cancelTasks(promise)
    case ..<11: return pick(owners).map { roll(2) == 0 ? .hook($0) : .dropOwner($0) }
    default: return pick(owners).map { .report($0, eighths: roll(11)) }
    }
  }

  mutating func ending() -> Step.Ending { flip() ? .value(number) : .failure(failure()) }

  mutating func failure() -> Step.Failure { roll(3) == 0 ? .cancellation : .test(number) }

  mutating func observer() -> Kind {
    let kinds = isAlone ? Kind.observers : Kind.observersOfThreads
    return kinds[roll(kinds.count)]
  }

  private mutating func context() -> Int { roll(12) == 0 ? Step.countOfContexts - 1 : roll(Step.countOfContexts - 1) }

  mutating func pick(_ numbers: [Int]) -> Int? { numbers.randomElement(using: &random) }

  mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  mutating func flip() -> Bool { Bool.random(using: &random) }
}
