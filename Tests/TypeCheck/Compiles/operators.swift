import PromiseCombinators
import PromiseGates

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

func use(
  _ numbers: [Int], limit: ConcurrencyLimit, flights: SingleFlight<Int, Int>, rate: RateLimit, gate: ReadersWriterGate
) {
  _ = Promise.traverse(numbers, concurrency: 4) { number in limit.run { load(number) } }
  _ = Promise.traverse(numbers, concurrency: 4) { number in
    let text = "\(number)"
    return rate.run { load(text.count) }.map { "\($0)" }
  }
  _ = Promise.forEach(numbers) { load($0) }
  _ = Promise.repeat { Bool.random() ? load(1) : nil }
  _ = Promise.retry { load(1) }
  _ = Promise.retry(attempts: 3, backoff: .exponential(first: .seconds(1)).jittered()) {
    print("again")
    return load(1)
  }
  _ = Promise.retry(attempts: 3) { attempt in load(attempt) }
  _ = Promise.retry(attempts: 3, within: .seconds(9)) { load($0) }
  _ = Promise.retry(load)
  _ = Promise.retry(attempts: 3) { attempt in
    print("attempt \(attempt)")
    return load(attempt).map { "\($0)" }
  }
  _ = Promise.retry(attempts: 3, carrying: 0) { attempt in
    attempt.carry(attempt.carried + 1)
    return load(attempt.number).map { "\($0)" }
  }
  _ = Promise.retry(
    carrying: (), asking: { attempt, error in load(attempt.number).map { $0 > 0 } }, { load($0.number) })
  _ = Promise.asyncRetry(attempts: 3) { attempt in try await load(attempt).value }
  _ = limit.run(queuePriority: 1) { load(1) }
  _ = ValueCache<Int, Int>(lifetime: .seconds(1)).value(for: 1) { load(1) }
  _ = Promise.chain(1, [load, { load($0 + 1) }]).timeout(.seconds(1)).delay(.seconds(1))
  _ = load(1).reduce(numbers) { sum, number in load(sum + number) }
  _ = Promise.all(numbers.map { number in flights.run(for: number) { load(number) } })
  _ = Promise.all(gate.read { load(1) }, gate.write { load(2).map { "\($0)" } }).map { number, text in
    "\(number)\(text)"
  }
  _ = Promise.some([load(1), load(2)], count: 1).map { $0[0] }
  _ = Promise.some(load(1), load(2), load(3), count: 2, cancelsLosers: true).map { $0.count }
  let quorum: Promise<[Int]>? = .some(numbers.map(load), count: 2)
  _ = quorum
  _ = Promise.race([load(1), .after(.seconds(1), fulfill: 2)])
  _ = Promise.any([load(1), .after(.seconds(1), reject: PromiseError.emptyInput(createdAt: CreationSite()))])
  LazyPromise.adopting { load(1) }.then { load($0 + 1) }.map { "\($0)" }.recover { _ in "" }.onFulfilled { print($0) }
}
