import Dispatch
import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: loops of many steps")
  struct LoopTests {
    /// The operator that leads from a step to the next.
    enum Loop: CaseIterable, Sendable {
      case then, thenRetained, thenOnQueue, thenElsewhere, rescue, `repeat`, reduce, forEach, tasks, awaiting

      /// Starts a loop that ends after this number of steps.
      func start(_ count: Int, _ step: @escaping @Sendable () -> Void) -> Promise<Void> {
        switch self {
        case .then: return adopting(0, count, step).asVoid()
        case .thenRetained:
          let kept = Locked(Array(repeating: Promise.fulfilled(0), count: 10))
          let keep: @Sendable (Int, Promise<Int>) -> Void = { number, promise in
            // The old promise is released outside the lock.
            let old = kept.withLock { kept in
              defer { kept[number % kept.count] = promise }
              return kept[number % kept.count]
            }
            withExtendedLifetime(old) {}
          }
          return adopting(0, count, from: DispatchQueue(label: "elsewhere"), keep: keep, step).asVoid()
        case .thenOnQueue: return adopting(0, count, on: DispatchQueue.forChains, step).asVoid()
        case .thenElsewhere: return adopting(0, count, from: DispatchQueue(label: "elsewhere"), step).asVoid()
        case .rescue, .tasks: return recursing(0, count, step).asVoid()
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
        case .awaiting:
          return .task {
            for number in 0..<count {
              step()
              guard try await Promise.run({ number }).value == number else { throw TestError(number) }
            }
          }
        }
      }

      /// Adopts a promise in each step. If there is a source queue, the promise is pending until that queue fulfils it.
      /// A client may keep the promise of the step.
      private func adopting(
        _ number: Int, _ count: Int, on context: any ExecutionContext = .pool, from source: DispatchQueue? = nil,
        keep: (@Sendable (Int, Promise<Int>) -> Void)? = nil, _ step: @escaping @Sendable () -> Void
      ) -> Promise<Int> {
        step()
        if number + 1 == count { return .fulfilled(number) }
        let promise = Promise<Int> { deferred in
          if source == nil { deferred.fulfill(number) }
          source?.async { deferred.fulfill(number) }
        }
        let next = promise.then(on: context) { adopting($0 + 1, count, on: context, from: source, keep: keep, step) }
        keep?(number, next)
        return next
      }

      /// Returns a rescued promise or the promise of a task in each step.
      private func recursing(_ number: Int, _ count: Int, _ step: @escaping @Sendable () -> Void) -> Promise<Int> {
        step()
        if number + 1 == count { return .fulfilled(number) }
        if self == .tasks { return Promise.task { number }.then { recursing($0 + 1, count, step) } }
        return Promise<Int>.rejected(TestError(1)).rescue { _ in recursing(number + 1, count, step) }
      }
    }

    @Test("A loop of any kind runs in flat memory", .rule("3.3"), arguments: Loop.allCases)
    func flat(_ loop: Loop) async throws {
      let count = Effort.steps
      // The test measures again only if the growth is too high, because something else may have grown (see
      // `leastGrowth`).
      var growth = Int.max
      for _ in 0..<8 where growth >= Effort.flat {
        let steps = Locked(0)
        let most = Locked(0)
        let before = residentBytes()
        try await loop.start(count) {
          guard steps.increment().isMultiple(of: count / 20) else { return }
          let resident = residentBytes()
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
