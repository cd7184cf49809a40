/// Makes a program that fails smaller, as long as it still fails.
struct Shrinker {
  private(set) var program: [Step]
  private let fails: ([Step]) -> Bool

  init(_ program: [Step], while fails: @escaping ([Step]) -> Bool) {
    self.program = program
    self.fails = fails
  }

  static func minimum(of program: [Step], while fails: @escaping ([Step]) -> Bool) -> [Step] {
    var shrinker = Shrinker(program, while: fails)
    shrinker.shrink()
    return shrinker.program
  }

  private mutating func shrink() {
    var before: [Step] = []
    repeat {
      before = program
      dropSteps()
      mergePromises()
      simplify()
    } while program != before
  }

  private mutating func adopt(_ candidate: [Step]?) -> Bool {
    guard let candidate, candidate != program, fails(candidate) else { return false }
    program = candidate
    return true
  }

  /// Long runs of steps first, then single ones; the last first, for nothing depends on them.
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

  /// Uses another promise in the place of one.
  private mutating func mergePromises() {
    var promise = program.count(where: \.makesPromise) - 1
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

extension [Step] {
  fileprivate func with(_ step: Step, at index: Int) -> [Step] {
    var program = self
    program[index] = step
    return program
  }

  /// Without the steps, and without those that speak of promises which these would have made.
  fileprivate func removing(_ range: Range<Int>) -> [Step] {
    renumbered(removing: { range.contains($0) }, replacing: [:])
  }

  /// Without the step that makes a promise, for which another stands in.
  fileprivate func replacing(_ promise: Int, by other: Int) -> [Step]? {
    guard let maker = indices.filter({ self[$0].makesPromise }).dropFirst(promise).first else { return nil }
    return renumbered(removing: { $0 == maker }, replacing: [promise: other])
  }

  private func renumbered(removing isRemoved: (Int) -> Bool, replacing: [Int: Int]) -> [Step] {
    var numbers: [Int?] = []
    var program: [Step] = []
    var count = 0
    for (index, step) in enumerated() {
      // A handler may speak of the promise that its step makes.
      if step.makesPromise { numbers.append(count) }
      guard !isRemoved(index), let renumbered = step.mapPromises({ numbers[$0] }) else {
        if step.makesPromise { numbers[numbers.count - 1] = replacing[numbers.count - 1].flatMap { numbers[$0] } }
        continue
      }
      program.append(renumbered)
      if step.makesPromise { count += 1 }
    }
    return program
  }
}
