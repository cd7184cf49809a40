import PromiseCombinators
import PromiseGates

@MainActor final class Screen {
  var shown = 0
  let gate = SerialGate()
  let lazy = LazyPromise.run(on: .main) { 1 }

  func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

  func use(_ numbers: [Int]) -> Promise<Void> {
    let all = Promise.traverse(numbers, concurrency: 2, on: .main) { number in
      self.shown += number
      return self.load(number)
    }
    let steps = Promise.forEach(numbers, on: .main) { number in
      self.shown += 1
      return self.load(number)
    }
    let again = Promise.repeat(on: .main) { self.shown > 9 ? nil : self.load(1) }
    let sum = all.asVoid().map { 0 }.reduce(numbers, on: .main) { sum, number in self.load(sum + number) }
    let tried = Promise.retry(attempts: 3, on: .main) { self.load(self.shown) }
    let numbered = Promise.retry(attempts: 3, on: .main) { attempt in self.load(self.shown + attempt) }
    let carrying = Promise.retry(
      on: .main, carrying: 0, asking: { _, _ in .fulfilled(self.shown > 0) },
      { attempt in self.load(self.shown + attempt.carried) })
    let kept = ValueCache<Int, Int>().value(for: 1, on: .main) { self.load(self.shown) }
    let chained = Promise.chain(1, [load, { number in self.load(self.shown + number) }], on: .main)
    let alone = gate.run(on: .main) { self.load(3) }
    lazy.onFulfilled(on: .main) { self.shown = $0 }
    return Promise.all(steps, again, sum, tried, numbered, carrying, kept, chained, alone).asVoid()
  }
}
