import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Long random programs")
  struct RandomProgramTests {
    /// Programs of one seed: a failure names the seed, and the seed gives the program again.
    @Test("rules 1.1 1.3 2.2 2.3 2.6 3.1 3.2 3.4 6.2: random programs do what the model says", arguments: 0..<8)
    func programs(_ stream: Int) {
      for round in 0..<Effort.of(500, full: 2_500) {
        let seed = UInt64(stream) << 32 | UInt64(round)
        var random = Seeded(seed)
        let count = Int.random(in: 1...5, using: &random)
        let program = program(length: Int.random(in: 5...60, using: &random), count: count, &random)
        if let difference = firstDifference(in: program, count: count, grouping: .random(using: &random)) {
          Issue.record("seed \(seed): \(difference)")
          return
        }
      }
    }

    @Test("rule 3.2: random programs meet every outcome: values, errors, broken owners, rings")
    func coverage() {
      var random = Seeded(1)
      var seen: Set<String> = []
      for _ in 0..<200 {
        var model = Model(count: 4)
        for step in program(length: 40, count: 4, &random) { _ = model.perform(step) }
        for outcome in model.outcomes {
          seen.insert(outcome.map { "\($0)".prefix { $0 != "(" }.description } ?? "pending")
        }
      }
      #expect(seen == ["value", "error", "broken", "cycle", "pending"])
    }

    private func program(length: Int, count: Int, _ random: inout Seeded) -> [Model.Step] {
      var promises = count
      var owners = Set(0..<count)
      var program: [Model.Step] = []
      for number in 0..<length {
        let promise = Int.random(in: 0..<promises, using: &random)
        let other = Int.random(in: 0..<promises, using: &random)
        let kind = Model.Kind.allCases.randomElement(using: &random) ?? .both
        let owner = owners.sorted().randomElement(using: &random)
        // Settling is rare, so that structures grow before they settle.
        switch (Int.random(in: 0..<20, using: &random), owner) {
        case (0, let owner?): program.append(.fulfill(owner, number))
        case (1, let owner?): program.append(.reject(owner, number))
        case (2, let owner?):
          program.append(.dropOwner(owner))
          owners.remove(owner)
        case (3...7, let owner?): program.append(.follow(owner, other))
        case (8...10, _):
          program.append(.derive(promise, kind))
          promises += 1
        case (11...13, _):
          program.append(.adopt(promise, other, kind))
          promises += 1
        default: program.append(.attach(promise, number))
        }
      }
      return program
    }
  }
}
