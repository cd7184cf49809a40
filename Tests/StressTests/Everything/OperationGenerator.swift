import PromiseTesting

/// Makes programs of public operators.
enum OperationGenerator {
  static func program(_ seed: UInt64) -> [RandomOperation] {
    var random = Seeded(seed)
    var program: [RandomOperation] = []
    var promises: [Int] = []
    let palette = RandomOperation.Kind.Palette(using: &random)
    for id in 0..<Int.random(in: 3...30, using: &random) {
      let kind = promises.isEmpty ? .owned : palette.random(using: &random)
      // Recent promises are preferred, so that chains become long.
      let recent = promises.suffix(Bool.random(using: &random) ? 3 : promises.count)
      program.append(
        RandomOperation(
          id: id, kind: kind, first: recent.randomElement(using: &random) ?? -1,
          second: promises.randomElement(using: &random) ?? -1, detail: Int.random(in: 0..<1_000, using: &random)))
      if kind.makesPromise { promises.append(id) }
    }
    return program
  }

  /// Removes lines, long runs of lines first, as long as the program still fails. Then uses simpler lines.
  static func minimum(
    of program: [RandomOperation], while fails: ([RandomOperation]) -> Bool
  ) -> [RandomOperation] {
    var program = program
    var before: [RandomOperation] = []
    // A program that hangs takes long to show it.
    var attempts = 0
    func adopt(_ candidate: [RandomOperation]) {
      guard candidate != program, attempts < 400 else { return }
      attempts += 1
      if fails(candidate) { program = candidate }
    }
    repeat {
      before = program
      var length = max(1, program.count / 2)
      while length > 0 {
        var end = program.count
        while end > 0 {
          let start = max(0, end - length)
          adopt(Array(program[..<start] + program[end...]))
          end = min(start, program.count)
        }
        length /= 2
      }
      for index in program.indices {
        for detail in [0, 1, 2, 3, 5, program[index].detail % 60] where detail < program[index].detail {
          var simpler = program
          simpler[index].detail = detail
          adopt(simpler)
        }
      }
    } while program != before
    return program
  }
}
