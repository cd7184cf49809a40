import PromiseCombinators

extension ClientOperator {
  static let gates = [
    ClientOperator(testDescription: "serial gate", count: 2) { work, context in
      let gate = SerialGate()
      return twice(after: { gate.run { work.holder.promise } }) { gate.run(on: context, work.begin) }
    },
    ClientOperator(testDescription: "limit", count: 2) { work, context in
      let gate = Limit(1)
      return twice(after: { gate.run { work.holder.promise } }) { gate.run(on: context, work.begin) }
    },
    ClientOperator(testDescription: "readers", count: 2) { work, context in
      let gate = ReadersWriterGate()
      return twice(after: { gate.write { work.holder.promise } }) { gate.read(on: context, work.begin) }
    },
    ClientOperator(testDescription: "writers", count: 2) { work, context in
      let gate = ReadersWriterGate()
      return twice(after: { gate.read { work.holder.promise } }) { gate.write(on: context, work.begin) }
    },
    ClientOperator(testDescription: "rate limit", count: 2) { work, context in
      let gate = RateLimit(1, per: .seconds(1))
      return twice(after: { gate.run { work.holder.promise } }) { gate.run(on: context, work.begin) }
    },
    ClientOperator(testDescription: "single flight", count: 1) { work, context in
      let flights = SingleFlight<Int, Int>()
      let first = flights.run(1, on: context, work.begin)
      return Promise.all(first, Client.run(as: "stranger") { flights.run(1, on: context, work.begin) })
    },
    ClientOperator(testDescription: "cache", count: 1) { work, context in
      let cache = ValueCache<Int, Int>()
      let first = cache.value(for: 1, on: context, work.begin)
      return Promise.all(first, Client.run(as: "stranger") { cache.value(for: 1, on: context, work.begin) })
    },
  ]

  static let asyncGates = [
    ClientOperator(testDescription: "serial gate", count: 2) { work, _ in
      let gate = SerialGate()
      return twice(after: { gate.run { work.holder.promise } }) { gate.asyncRun(work.beginAsync) }
    },
    ClientOperator(testDescription: "limit", count: 2) { work, _ in
      let gate = Limit(1)
      return twice(after: { gate.run { work.holder.promise } }) { gate.asyncRun(work.beginAsync) }
    },
    ClientOperator(testDescription: "readers", count: 2) { work, _ in
      let gate = ReadersWriterGate()
      return twice(after: { gate.write { work.holder.promise } }) { gate.asyncRead(work.beginAsync) }
    },
    ClientOperator(testDescription: "writers", count: 2) { work, _ in
      let gate = ReadersWriterGate()
      return twice(after: { gate.read { work.holder.promise } }) { gate.asyncWrite(work.beginAsync) }
    },
    ClientOperator(testDescription: "rate limit", count: 2) { work, _ in
      let gate = RateLimit(1, per: .seconds(1))
      return twice(after: { gate.run { work.holder.promise } }) { gate.asyncRun(work.beginAsync) }
    },
    ClientOperator(testDescription: "single flight", count: 1) { work, _ in
      let flights = SingleFlight<Int, Int>()
      let first = flights.asyncRun(1, work.beginAsync)
      return Promise.all(first, Client.run(as: "stranger") { flights.asyncRun(1, work.beginAsync) })
    },
    ClientOperator(testDescription: "cache", count: 1) { work, _ in
      let cache = ValueCache<Int, Int>()
      let first = cache.asyncValue(for: 1, work.beginAsync)
      return Promise.all(first, Client.run(as: "stranger") { cache.asyncValue(for: 1, work.beginAsync) })
    },
  ]

  /// Enters a gate once as a stranger and then twice as the client.
  private static func twice(
    after stranger: () -> Promise<Int>, _ enter: () -> Promise<Int>
  ) -> AnyPromise {
    Promise.all([Client.run(as: "stranger", stranger), enter(), enter()])
  }
}
