import TestSupport
import Testing

extension Stress {
  @Suite("Every order of a few steps")
  struct PermutationTests {
    @Test(
      "Every order of fulfil, reject, follow, attach and drop on one promise matches the model",
      .rule("1.1", "1.3", "2.2", "3.1", "3.2", "6.2"))
    func onePromise() {
      // The followed promise 1 is pending, fulfilled, rejected or broken at the beginning.
      for other in [[], [.settle(1, .value(10))], [.settle(1, .failure(.test(10)))], [.dropOwner(1)]] as [[Step]] {
        let steps: [Step] = [
          .settle(0, .value(1)), .settle(0, .failure(.test(2))), .follow(0, 1), .observe(0, .onSettled, on: 0),
          .observe(0, .onSettled, on: 0), .dropOwner(0),
        ]
        let count = check(other + steps)
        #expect(count >= 180)
      }
    }

    @Test(
      "Every order of steps on two or three promises, which follow each other or close a ring, matches the model",
      .rule("3.1", "3.2", "3.4", "6.2"),
      arguments: [
        [
          .settle(0, .value(1)), .settle(1, .value(2)), .follow(0, 1), .observe(0, .onSettled, on: 0),
          .observe(1, .onSettled, on: 0), .dropOwner(0), .dropOwner(1),
        ],
        [
          .settle(0, .failure(.test(1))), .settle(1, .failure(.test(2))), .follow(0, 1), .observe(0, .onSettled, on: 0),
          .observe(1, .onSettled, on: 0), .observe(0, .onSettled, on: 0), .dropOwner(1),
        ],
        [
          .follow(0, 1), .follow(1, 0), .settle(1, .value(1)), .observe(0, .onSettled, on: 0),
          .observe(1, .onSettled, on: 0), .dropOwner(0), .dropOwner(1),
        ],
        [
          .follow(0, 0), .follow(0, 1), .settle(0, .failure(.test(1))), .settle(1, .value(2)),
          .observe(0, .onSettled, on: 0), .dropOwner(0), .dropOwner(1),
        ],
        [
          .follow(0, 1), .follow(1, 2), .follow(2, 0), .observe(0, .onSettled, on: 0), .observe(2, .onSettled, on: 0),
          .settle(1, .value(3)), .dropOwner(2),
        ],
        [
          .follow(0, 1), .follow(0, 2), .settle(1, .value(1)), .settle(2, .failure(.test(2))),
          .observe(0, .onSettled, on: 0), .dropOwner(0), .dropOwner(1),
        ],
        [
          .follow(0, 1), .follow(0, 2), .follow(1, 2), .settle(2, .failure(.test(2))), .observe(0, .onSettled, on: 0),
          .observe(1, .onSettled, on: 0), .dropOwner(0),
        ],
      ] as [[Step]])
    func severalPromises(_ program: [Step]) {
      check(program, promises: program.contains(.follow(0, 2)) || program.contains(.follow(1, 2)) ? 3 : 2)
    }

    @Test(
      "Every order of steps that include a link or an adoption matches the model", .rule("2.3", "2.6", "3.1"),
      arguments: [false, true])
    func links(_ isCancelled: Bool) {
      // The derived promise is number 2, so steps on it come after the step that makes it.
      for kind in [.map, .recover, .always, .then, .rescue, .thenBoth] as [Kind] {
        for adopted in kind.adopts ? [1, 0] : [1] {
          let derive = Step.link(0, kind, on: 1, .adopts(adopted))
          let last: Step = isCancelled ? .cancel(2, .cancellation) : .dropOwner(1)
          check([derive, .observe(2, .onSettled, on: 1), .follow(1, 2), .settle(0, .value(2)), last, .run(1)]) {
            order in
            order.firstIndex(of: derive).map { made in
              order[..<made].allSatisfy { $0 != .observe(2, .onSettled, on: 1) && $0 != .follow(1, 2) && $0 != last }
            } ?? true
          }
        }
      }
    }

    @Test(
      "Every order of two cancellations and other steps around an adoption matches the model",
      .rule("1.3", "2.5", "4.0", "4.1", "4.2", "4.3", "4.4"), arguments: 0..<4, [2, 3])
    func cancellations(of promise: Int, upstreamFrom other: Int) {
      // The handler of promise 2 returns promise 1, and promise 3 is a link below promise 2.
      let scene: [Step] = [.hook(0), .hook(1), .link(0, .then, on: 1, .adopts(1)), .link(2, .map, on: 2, .gives(7))]
      check(
        [
          .cancel(promise, .cancellation), .cancel(other, .cancellation, upstream: true), .run(1), .shield(2),
          .settle(0, .value(2)), .settle(1, .value(3)),
        ], after: scene)
    }

    /// Checks all orders of the steps in which no step needs a released owner, after the promises and the scene were
    /// made. Every handler on context 0 runs before the next step. Returns the number of orders.
    @discardableResult
    private func check(
      _ steps: [Step], promises: Int = 2, after scene: [Step] = [], where isSensible: ([Step]) -> Bool = { _ in true }
    ) -> Int {
      var count = 0
      forEachOrder(of: steps) { order in
        guard hasOwners(order), isSensible(order) else { return }
        count += 1
        let start: [Step] = Array(repeating: .make, count: promises) + scene
        let program = start + order.flatMap { [$0, .run(0), .run(0), .run(0)] }
        if let difference = Comparison(program).difference { Issue.record("\(source("\(program): \(difference)"))") }
      }
      #expect(count > 0)
      return count
    }

    private func hasOwners(_ program: [Step]) -> Bool {
      var gone: Set<Int> = []
      for step in program {
        switch step {
        case .settle(let promise, _), .follow(let promise, _): if gone.contains(promise) { return false }
        case .dropOwner(let promise): gone.insert(promise)
        default: break
        }
      }
      return true
    }

    private func forEachOrder(of steps: [Step], _ body: ([Step]) -> Void) {
      var steps = steps
      func permute(_ start: Int) {
        if start == steps.count { return body(steps) }
        for index in start..<steps.count {
          steps.swapAt(start, index)
          permute(start + 1)
          steps.swapAt(start, index)
        }
      }
      permute(0)
    }
  }
}
