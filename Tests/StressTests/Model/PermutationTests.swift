import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Every order of a few steps")
  struct PermutationTests {
    @Test("rules 1.1 1.3 2.2 3.1 3.2 6.2: every order of fulfil, reject, follow, attach and drop on one promise")
    func onePromise() {
      // Promise 1 is followed: pending, fulfilled or rejected by the time, or broken.
      for other in [[], [.fulfill(1, 10)], [.reject(1, 10)], [.dropOwner(1)]] as [[Model.Step]] {
        let steps: [Model.Step] = [
          .fulfill(0, 1), .reject(0, 2), .follow(0, 1), .attach(0, 3), .attach(0, 4), .dropOwner(0),
        ]
        let count = check(other + steps)
        #expect(count >= 180)
      }
    }

    @Test("rules 3.1 3.2 3.4 6.2: every order of steps on two promises of which one follows the other")
    func twoPromises() {
      let programs: [[Model.Step]] = [
        [.fulfill(0, 1), .fulfill(1, 2), .follow(0, 1), .attach(0, 3), .attach(1, 4), .dropOwner(0), .dropOwner(1)],
        [.reject(0, 1), .reject(1, 2), .follow(0, 1), .attach(0, 3), .attach(1, 4), .attach(0, 5), .dropOwner(1)],
        [.follow(0, 1), .follow(1, 0), .fulfill(1, 1), .attach(0, 2), .attach(1, 3), .dropOwner(0), .dropOwner(1)],
        [.follow(0, 0), .follow(0, 1), .reject(0, 1), .fulfill(1, 2), .attach(0, 3), .dropOwner(0), .dropOwner(1)],
      ]
      for program in programs { check(program) }
    }

    @Test("rules 3.1 3.2 3.4: every order of steps on three promises in a ring, and with two arms")
    func threePromises() {
      let programs: [[Model.Step]] = [
        [.follow(0, 1), .follow(1, 2), .follow(2, 0), .attach(0, 1), .attach(2, 2), .fulfill(1, 3), .dropOwner(2)],
        [.follow(0, 1), .follow(0, 2), .fulfill(1, 1), .reject(2, 2), .attach(0, 3), .dropOwner(0), .dropOwner(1)],
        [.follow(0, 1), .follow(0, 2), .follow(1, 2), .reject(2, 2), .attach(0, 3), .attach(1, 4), .dropOwner(0)],
      ]
      for program in programs { check(program, promises: 3) }
    }

    @Test(
      "rules 2.3 2.6 3.1: every order of steps with a link or an adoption among them", arguments: Model.Kind.allCases)
    func links(_ kind: Model.Kind) {
      // The derived promise is number 2: steps on it come after the one that makes it.
      for derive in [.derive(0, kind), .adopt(0, 1, kind), .adopt(0, 0, kind)] as [Model.Step] {
        check([derive, .attach(2, 1), .follow(1, 2), .fulfill(0, 2), .reject(1, 3), .dropOwner(0), .dropOwner(1)]) {
          order in
          order.firstIndex(of: derive).map { made in
            order[..<made].allSatisfy { $0 != .attach(2, 1) && $0 != .follow(1, 2) }
          }
            ?? true
        }
      }
    }

    /// Checks all orders of the steps, in which nothing is asked of an owner that is gone. Returns how many there were.
    @discardableResult
    private func check(
      _ steps: [Model.Step], promises: Int = 2, where isSensible: ([Model.Step]) -> Bool = { _ in true }
    ) -> Int {
      var count = 0
      forEachOrder(of: steps) { order in
        guard hasOwners(order), isSensible(order) else { return }
        count += 1
        if let difference = firstDifference(in: order, count: promises, grouping: count.isMultiple(of: 2)) {
          Issue.record("\(difference)")
        }
      }
      #expect(count > 0)
      return count
    }

    private func hasOwners(_ program: [Model.Step]) -> Bool {
      var gone: Set<Int> = []
      for step in program {
        switch step {
        case .fulfill(let promise, _), .reject(let promise, _), .follow(let promise, _):
          if gone.contains(promise) { return false }
        case .dropOwner(let promise): gone.insert(promise)
        case .attach, .derive, .adopt: break
        }
      }
      return true
    }

    private func forEachOrder(of steps: [Model.Step], _ body: ([Model.Step]) -> Void) {
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
