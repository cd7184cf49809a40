import TestSupport

/// Makes a failing program smaller, as long as it still fails.
struct Shrinker {
  /// A step and the lane that takes it. Promises are numbered line by line.
  struct Line: Equatable {
    var step: Step
    /// The number of a thread, or 0 for the only thread and for the prefix of several threads.
    var lane = 0
  }

  private(set) var program: [Line]
  private let fails: ([Line]) -> Bool

  static func minimum(of program: [Step], while fails: @escaping ([Step]) -> Bool) -> [Step] {
    minimum(of: program.map { Line(step: $0) }) { fails($0.map(\.step)) }.map(\.step)
  }

  static func minimum(of program: [Line], while fails: @escaping ([Line]) -> Bool) -> [Line] {
    var shrinker = Shrinker(program: program, fails: fails)
    shrinker.shrink()
    return shrinker.program
  }

  private mutating func shrink() {
    var before: [Line] = []
    repeat {
      before = program
      dropSteps()
      mergePromises()
      simplify()
    } while program != before
  }

  private mutating func adopt(_ candidate: [Line]?) -> Bool {
    guard let candidate, candidate != program, candidate.isSound, fails(candidate) else { return false }
    program = candidate
    return true
  }

  /// Removes long runs of steps first, and then single steps. The last steps come first, because no other steps depend
  /// on them.
  private mutating func dropSteps() {
    var length = max(1, program.count / 2)
    while true {
      var end = program.count
      while end > 0 {
        let start = max(0, end - length)
        _ = adopt(program.removing(start..<end))
        end = min(start, program.count)
      }
      if length == 1 { return }
      length /= 2
    }
  }

  /// Replaces promises by earlier promises.
  private mutating func mergePromises() {
    var promise = program.count(where: \.step.makesPromise) - 1
    while promise > 0 {
      for other in 0..<promise where adopt(program.replacing(promise, by: other)) { break }
      promise -= 1
    }
  }

  private mutating func simplify() {
    for index in program.indices {
      while program[index].simpler.contains(where: { adopt(program.with($0, at: index)) }) {}
    }
  }
}

extension Shrinker.Line {
  /// The simpler steps. A thread runs only jobs of its own context, so its runs cannot be simpler.
  fileprivate var simpler: [Step] {
    if case .run = step, lane > 0 { return [] }
    return step.simpler
  }
}

extension [Shrinker.Line] {
  /// Whether the program drops promises and owners only as a generated program does.
  ///
  /// A step that derives a promise from a dropped promise makes none. All later promises would then have other numbers
  /// than the steps say. A thread drops only promises and owners that it has made itself (see `Generator.steps`).
  fileprivate var isSound: Bool {
    var makers: [Int] = []
    var dropped: Set<Int> = []
    for (step, lane) in map({ ($0.step, $0.lane) }) {
      switch step {
      case .drop(let promise), .dropOwner(let promise):
        if lane > 0, makers[promise] != lane { return false }
        if case .drop = step { dropped.insert(promise) }
      default:
        guard dropped.isDisjoint(with: step.sources) else { return false }
        if step.makesPromise { makers.append(lane) }
      }
    }
    return true
  }

  fileprivate func with(_ step: Step, at index: Int) -> Self {
    var program = self
    program[index].step = step
    return program
  }

  /// Returns the program without the steps, and without other steps on the promises that they would have made.
  fileprivate func removing(_ range: Range<Int>) -> Self {
    renumbered(removing: { range.contains($0) }, replacing: [:])
  }

  /// Returns the program without the step that makes a promise. Another promise takes its place.
  fileprivate func replacing(_ promise: Int, by other: Int) -> Self? {
    let makers = indices.filter { self[$0].step.makesPromise }
    let maker = makers[promise]
    // A promise of another thread may not exist yet.
    guard [0, self[maker].lane].contains(self[makers[other]].lane) else { return nil }
    return renumbered(removing: { $0 == maker }, replacing: [promise: other])
  }

  private func renumbered(removing isRemoved: (Int) -> Bool, replacing: [Int: Int]) -> Self {
    var numbers: [Int?] = []
    var program: Self = []
    var count = 0
    func newNumber(of promise: Int) throws -> Int {
      guard let number = numbers[promise] else { throw TestError(promise) }
      return number
    }
    for (index, line) in enumerated() {
      let step = line.step
      // A handler may use the promise that its step makes.
      if step.makesPromise { numbers.append(count) }
      guard !isRemoved(index), let renumbered = try? step.mapPromises(newNumber) else {
        if step.makesPromise { numbers[numbers.count - 1] = replacing[numbers.count - 1].flatMap { numbers[$0] } }
        continue
      }
      program.append(Shrinker.Line(step: renumbered, lane: line.lane))
      if step.makesPromise { count += 1 }
    }
    return program
  }
}
