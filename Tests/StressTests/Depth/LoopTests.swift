import Dispatch
import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: loops of many steps")
  struct LoopTests {
    /// The operator that leads from a step to the next.
    enum Loop: CaseIterable, Sendable {
      case then, thenOnQueue, thenElsewhere, rescue, `repeat`, reduce, forEach, tasks, awaiting

      /// Starts a loop that ends after this number of steps.
      func start(_ count: Int, _ step: @escaping @Sendable () -> Void) -> Promise<Void> {
        switch self {
        case .then: return adopting(0, count, step).asVoid()
        case .thenOnQueue: return adopting(0, count, on: DispatchQueue.forChains, step).asVoid()
        case .thenElsewhere: return adopting(0, count, from: DispatchQueue(label: "elsewhere"), step).asVoid()
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

      /// Adopts a promise in each step. If there is a source queue, the promise is pending until that queue fulfils it.
      private func adopting(
        _ number: Int, _ count: Int, on context: any ExecutionContext = .pool, from source: DispatchQueue? = nil,
        _ step: @escaping @Sendable () -> Void
      ) -> Promise<Int> {
        step()
        if number + 1 == count { return .fulfilled(number) }
        let promise = Promise<Int> { deferred in
          if source == nil { deferred.fulfill(number) }
          source?.async { deferred.fulfill(number) }
        }
        return promise.then(on: context) { adopting($0 + 1, count, on: context, from: source, step) }
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

    @Test("Every observed promise in the middle of a loop is fulfilled with the value of the loop", .rule("2.2", "3.3"))
    func watched() async {
      let queue = DispatchQueue.forChains
      let (seen, count) = (Locked(0), 10_000)
      @Sendable func step(_ number: Int) -> Promise<Int> {
        let promise = Promise.fulfilled(number).then(on: queue) { number in
          number == count ? .fulfilled(number) : step(number + 1)
        }
        promise.onFulfilled(on: queue) { value in seen.withLock { $0 += value == count ? 1 : 0 } }
        return promise
      }
      await withCheckedContinuation { continuation in
        step(0).onSettled(on: queue) { _ in continuation.resume() }
      }
      // A single settlement schedules the handlers of all promises before any later block, so this block runs after
      // them.
      queue.sync {}
      #expect(seen.withLock { $0 } == count + 1)
    }

    @Test("A loop can be inspected from another thread while it runs", .rule("3.3", "8.2"))
    func lookedAt() {
      let context = Trampoline()
      let ended = Answer<Bool>()
      let looked = Gate()
      @Sendable func step(_ number: Int) -> Promise<Int> {
        // The loop waits here for the first look, so that another thread certainly looks while the loop runs. Later
        // looks come at any time.
        if number == 10_000 { looked.wait("first look") }
        return Promise.fulfilled(number).then(on: context) { $0 == 20_000 ? .fulfilled($0) : step($0 + 1) }
      }
      let outermost = step(0)
      let behind = outermost.always(on: context) { _ in }
      let looks = Answer<Int>()
      race([
        {
          context.run()
          ended(true)
        },
        {
          var count = 0
          while ended.value == nil {
            count += 1
            _ = (outermost.isPending, outermost.result, behind.root, behind.parent)
            if count == 1 { looked.open() }
            if count.isMultiple(of: 100) { outermost.onRejected(on: context) { _ in } }
          }
          looks(count)
        },
      ])
      context.run()
      #expect((try? behind.result?.get()) == 20_000)
      #expect((looks.value ?? 0) > 0)
    }
  }
}
