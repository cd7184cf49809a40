import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: loops of ten million steps")
  struct LongLoopTests {
    /// The operator that leads from a step to the next.
    enum Loop: CaseIterable, Sendable {
      case then, rescue, `repeat`, reduce, forEach, tasks, awaiting

      /// Starts a loop that ends after this number of steps.
      func start(_ count: Int, _ step: @escaping @Sendable () -> Void) -> Promise<Void> {
        switch self {
        case .then: return adopting(0, count, step).asVoid()
        case .rescue: return rescuing(0, count, step).asVoid()
        case .repeat:
          let steps = Locked(0)
          return .repeat {
            step()
            return steps.increment() < count ? Promise.fulfilled(1) : nil
          }
        case .reduce:
          return Promise.fulfilled(0).reduce(0..<count) { sum, _ in
            step()
            return .fulfilled(sum + 1)
          }.asVoid()
        case .forEach:
          return .forEach(0..<count) { number in
            step()
            return .fulfilled(number)
          }
        case .tasks: return tasks(0, count, step).asVoid()
        case .awaiting:
          return .task {
            for number in 0..<count {
              step()
              guard try await Promise.run({ number }).value == number else { throw TestError(number) }
            }
          }
        }
      }

      private func adopting(_ number: Int, _ count: Int, _ step: @escaping @Sendable () -> Void) -> Promise<Int> {
        step()
        return number + 1 == count
          ? .fulfilled(number) : Promise.fulfilled(number).then { adopting($0 + 1, count, step) }
      }

      private func rescuing(_ number: Int, _ count: Int, _ step: @escaping @Sendable () -> Void) -> Promise<Int> {
        step()
        return number + 1 == count
          ? .fulfilled(number) : Promise<Int>.rejected(TestError(1)).rescue { _ in rescuing(number + 1, count, step) }
      }

      private func tasks(_ number: Int, _ count: Int, _ step: @escaping @Sendable () -> Void) -> Promise<Int> {
        step()
        return number + 1 == count ? .fulfilled(number) : Promise.task { number }.then { tasks($0 + 1, count, step) }
      }
    }

    @Test("A loop of any kind runs in flat memory", .rule("3.3"), arguments: Loop.allCases)
    func flat(_ loop: Loop) async throws {
      let count = Effort.steps
      // The test measures again only if the growth is too high, because something else may have grown (see
      // `leastGrowth`).
      var growth = Int.max
      for _ in 0..<3 where growth >= Effort.flat {
        let (steps, most, before) = (Locked(0), Locked(0), residentBytes())
        try await loop.start(count) {
          guard steps.increment().isMultiple(of: count / 20) else { return }
          let resident = residentBytes(trimming: false)
          most.withLock { $0 = max($0, resident) }
        }.value
        #expect(steps.withLock(\.self) == count)
        growth = min(growth, most.withLock(\.self) - before)
      }
      print("figures: \(loop), \(count) steps: \(growth) bytes more than before, at most")
      #expect(growth < Effort.flat)
    }
  }
}
