// Operators whose closures run on an actor and receive it.
import PromiseCombinators
import PromiseGates

func isWorthIt(_ account: isolated Account, _ remaining: Int, _ error: any Error) -> Bool {
  account.balance > remaining
}

actor Account {
  var balance = 0
  let gate = SerialGate()

  nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

  nonisolated func use(
    _ numbers: [Int], _ stream: AsyncStream<Int>, limit: ConcurrencyLimit, rate: RateLimit, both: ReadersWriterGate
  ) -> [AnyPromise] {
    [
      Promise.traverse(numbers, concurrency: 2, isolatedTo: self) { account, number in
        account.balance += number
        return account.load(number)
      },
      Promise.traverse(stream, concurrency: 2, isolatedTo: self) { account, number in
        account.balance += number
        return account.load(number)
      },
      Promise.forEach(numbers, isolatedTo: self) { account, number in account.load(number + account.balance) },
      Promise.forEach(stream, isolatedTo: self) { account, number in account.load(number + account.balance) },
      Promise.repeat(isolatedTo: self) { account in account.balance > 9 ? nil : account.load(1) },
      load(0).reduce(numbers, isolatedTo: self) { account, sum, number in
        account.load(sum + number + account.balance)
      },
      Promise.retry(attempts: 3, isolatedTo: self) { account in account.load(account.balance) },
      Promise.retry(attempts: 3, isolatedTo: self) { account, attempt in account.load(account.balance + attempt) },
      ValueCache<Int, Int>().value(for: 1, isolatedTo: self) { account in account.load(account.balance) },
      Promise.retry(attempts: 3, isolatedTo: self, while: isWorthIt) { account in
        account.balance += 1
        return account.load(account.balance)
      },
      Promise.chain(1, [{ account, number in account.load(number + account.balance) }], isolatedTo: self),
      gate.run(isolatedTo: self) { account in account.load(account.balance) },
      limit.run(isolatedTo: self) { account in account.load(account.balance) },
      rate.run(isolatedTo: self) { account in account.load(account.balance) },
      both.read(isolatedTo: self) { account in account.load(account.balance) },
      both.write(isolatedTo: self) { account in account.load(account.balance).map { "\($0)" } },
      SingleFlight<Int, Int>().run(for: 1, isolatedTo: self) { account in account.load(account.balance) },
      LazyPromise.run(isolatedTo: self) { account in account.balance }.onFulfilled(isolatedTo: self) { $0.balance = $1 }
        .promise,
      LazyPromise.adopting(isolatedTo: self) { account in account.load(account.balance) }
        .onProgress(isolatedTo: self) { account, _ in account.balance += 1 }
        .onSettled(isolatedTo: self) { account, _ in account.balance += 1 }.promise,
      LazyPromise<Int>(isolatedTo: self) { account, deferred in deferred.fulfill(account.balance) }
        .onRejected(isolatedTo: self) { account, _ in account.balance += 1 }.promise,
    ]
  }
}
