import TestSupport

/// Programs that a seed determines.
struct Generator {
  private var random: Seeded
  private var promises = 0
  private var handlers = 0
  private var owners: [Int] = []
  private var held: [Int] = []
  private var steps: [Step] = []
  /// The next value or error: each is another.
  private var number = 0
  /// What all threads have had from the beginning; `nil`: there is one thread.
  private var known: [Int]?

  static func program(_ seed: UInt64, length: ClosedRange<Int> = 4...36) -> [Step] {
    var generator = Generator(random: Seeded(seed))
    return generator.program(length)
  }

  private init(random: Seeded) { self.random = random }

  private mutating func program(_ lengths: ClosedRange<Int>) -> [Step] {
    let length = Int.random(in: lengths, using: &random)
    addPromise(.make, isOwned: true)
    while steps.count < length { addStep() }
    return steps
  }

  private mutating func addStep() {
    number += 1
    // Settling is rare, so that structures grow before they settle.
    switch roll(100) {
    case ..<10 where promises < 14: addPromise(.make, isOwned: true)
    case ..<38 where promises < 14 && handlers < 30: addLink()
    case ..<42 where promises < 14: if let source = pick(held) { addPromise(.shield(source), isHandled: true) }
    case ..<45 where promises < 14:
      addPromise(.start(flip() ? .run : .body, on: context(), deed(adopting: true)), isHandled: true)
    case ..<51 where handlers < 30:
      guard let promise = pick(held) else { return }
      steps.append(.observe(promise, Kind.observers[roll(3)], on: context()))
      handlers += 1
    case ..<59: if let owner = pick(owners) { steps.append(.settle(owner, ending())) }
    case ..<66: if let owner = pick(owners), let other = pick(held) { steps.append(.follow(owner, other)) }
    case ..<71: if let promise = pick(held) { steps.append(.cancel(promise, failure())) }
    case ..<75: if let promise = pick(held) { steps.append(.abandon(promise)) }
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

  // MARK: - Several threads

  init(after prefix: [Step], random: Seeded) {
    self.random = random
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

  /// What one of several threads does, with what was there before and with what it makes itself.
  mutating func steps(_ count: Int, of thread: Int) -> [Step] {
    let before = held
    defer { held = before }
    steps = []
    while steps.count < count {
      number += 1
      switch roll(20) {
      case ..<3: addLink()
      case ..<4: if let source = pick(held) { addPromise(.shield(source), isHandled: true) }
      case ..<5: if let promise = pick(held) { steps.append(.observe(promise, Kind.observers[roll(3)], on: roll(3))) }
      case ..<8: if let owner = pick(owners) { steps.append(.settle(owner, ending())) }
      case ..<10: if let owner = pick(owners), let other = pick(held) { steps.append(.follow(owner, other)) }
      case ..<13: if let promise = pick(held) { steps.append(.cancel(promise, failure())) }
      case ..<15: if let promise = pick(held) { steps.append(.abandon(promise)) }
      default: steps.append(.run(thread))
      }
    }
    return steps
  }

  private mutating func addLink() {
    guard let source = pick(held) else { return }
    let kind = Kind.links[roll(Kind.links.count)]
    addPromise(.link(source, kind, on: context(), deed(adopting: kind.adopts)), isHandled: true)
  }

  private mutating func addPromise(_ step: Step, isOwned: Bool = false, isHandled: Bool = false) {
    steps.append(step)
    held.append(promises)
    if isOwned { owners.append(promises) }
    if isHandled { handlers += 1 }
    promises += 1
  }

  /// The promise that is about to be derived counts, too: a handler may return or cancel it.
  private mutating func deed(adopting: Bool) -> Step.Deed {
    let all = known ?? held + [promises]
    let result: Step.Deed =
      switch roll(8) {
      case ..<5 where adopting: .adopts(all[roll(all.count)])
      case ..<6: .gives(roll(4) == 0 ? 0 : number)
      default: .fails(failure())
      }
    guard roll(6) == 0 else { return result }
    let promise = all[roll(all.count)]
    switch roll(4) {
    case 0: return .first(.abandon(promise), result)
    case 1: return .first(.cancel(promise, failure()), result)
    case 2: return pick(owners).map { .first(.settle($0, ending()), result) } ?? result
    default: return pick(owners).map { .first(.follow($0, promise), result) } ?? result
    }
  }

  private mutating func ending() -> Step.Ending { flip() ? .value(number) : .failure(failure()) }

  private mutating func failure() -> Step.Failure { roll(3) == 0 ? .cancellation : .test(number) }

  private mutating func context() -> Int { roll(12) == 0 ? Step.countOfContexts - 1 : roll(Step.countOfContexts - 1) }

  private mutating func pick(_ numbers: [Int]) -> Int? { numbers.randomElement(using: &random) }

  private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  private mutating func flip() -> Bool { Bool.random(using: &random) }
}
