import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/FromAsyncStream.md, word for word. `Scripts/check-snippets.py` compares them.

private struct NoReading: Error {}

private struct Readings: Sendable {
  func first(of readings: AsyncStream<Double>) -> Promise<Double> {
    Promise.task {
      for await reading in readings { return reading }
      throw NoReading()  // the stream has ended
    }
  }

  func store(
    _ readings: AsyncStream<Double>, _ save: @escaping @Sendable (Double) -> Promise<Void>
  ) -> Promise<[Void]> {
    let saved = Promise.traverse(readings, concurrency: 2) { reading in save(reading) }
    return saved
  }

  func results<Value>(of promises: [Promise<Value>]) -> AsyncStream<Result<Value, any Error>> {
    AsyncStream { continuation in
      let all = Promise.allSettled(promises.map { $0.always { continuation.yield($0) } })
      all.onSettled { _ in continuation.finish() }
      continuation.onTermination = { _ in all.cancel(upstream: true) }
    }
  }
}

@Suite("The recipe for an AsyncStream") struct FromAsyncStreamTests {
  @Test("The first element fulfils the promise, and an empty stream rejects it")
  func firstElement() throws {
    try TestWorld.run { _ in
      let (readings, input) = AsyncStream.makeStream(of: Double.self)
      let reading = Readings().first(of: readings)
      input.yield(1.5)
      input.yield(2.5)
      let value1 = try await reading.value
      #expect(value1 == 1.5)

      let (none, end) = AsyncStream.makeStream(of: Double.self)
      end.finish()
      await #expect(throws: NoReading.self) { try await Readings().first(of: none).value }
    }
  }

  @Test("Results arrive in the order of settlement, and the stream ends after the last result")
  func results() throws {
    try TestWorld.explore(schedules: 100, seed: 1) { world in
      let slow = Deferred<Int>()
      let fast = Deferred<Int>()
      let stream = Readings().results(of: [slow.promise, fast.promise])
      fast.fulfill(1)
      var reader = stream.makeAsyncIterator()
      let one = await reader.next()
      slow.reject(TestError(2))
      let two = await reader.next()
      let end = await reader.next()
      world.expect((try? one?.get()) == 1, "the fast one comes first")
      if case .failure(TestError(2))? = two.map({ $0.mapError { $0 as? TestError ?? TestError(0) } }) {
      } else {
        world.expect(false, "the error comes second")
      }
      world.expect(end == nil, "the stream ends")
    }
  }

  @Test("A reader that leaves stops the work", .rule("4.4"))
  func leave() throws {
    try TestWorld.run(checking: .running) { world in
      let work = StoppableWork()
      let reader = Promise.task {
        for await _ in Readings().results(of: [work.promise]) {}
      }
      world.runUntilIdle()
      reader.cancel()
      world.runUntilIdle()
      #expect(work.isStopped)
    }
  }
}
