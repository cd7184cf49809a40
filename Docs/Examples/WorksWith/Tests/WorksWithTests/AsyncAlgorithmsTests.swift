import AsyncAlgorithms
import PromiseCombinators
import PromiseTesting
import Testing

@Suite("AsyncAlgorithms", .bounded) struct AsyncAlgorithmsTests {
  @Test("traverse reads chunks")
  func chunks() async throws {
    let sums = Promise.traverse((1...10).async.chunks(ofCount: 4), concurrency: 2) { chunk in
      .fulfilled(chunk.reduce(0, +))
    }
    #expect(try await sums.value == [10, 26, 19])
  }

  @Test("forEach reads merged sequences, one element at a time")
  func merged() async throws {
    let seen = Log<Int>()
    let running = Log<Int>()
    let all = Promise.forEach(merge((1...50).async, (51...100).async)) { element in
      running.append(element)
      #expect(running.entries.count == seen.entries.count + 1)
      return Promise.fulfilled(element).map { seen.append($0) }
    }
    try await all.value
    #expect(seen.entries.sorted() == Array(1...100))
  }

  @Test("A rejection ends the reading, and cancels the Task that reads")
  func rejected() async throws {
    let channel = AsyncChannel<Int>()
    let all = Promise.forEach(channel) { element in Promise<Int>.rejected(TestError(element)) }
    await channel.send(1)
    #expect(await rejection(of: all) as? TestError == TestError(1))
    // The Task that read the channel was cancelled, so no element is taken any more.
    channel.finish()
  }

  @Test("A promise is an asynchronous sequence of one element")
  func onePromise() async throws {
    let owner = Deferred<Int>()
    let values = chain([owner.promise].async.map { try await $0.value }, [2, 3].async.map { try await later($0) })
    owner.fulfill(1)
    #expect(try await Array(values) == [1, 2, 3])
  }

  @Test("A debounce runs in the time of a world")
  func debounce() async throws {
    let world = TestWorld()
    let typed = AsyncChannel<String>()
    let requests = Log<Void>()
    // The debounce asks for a text when it has stored the text before it.
    let texts = AsyncStream {
      requests.append(())
      return await typed.first { _ in true }
    }
    let searched = Log<String>()
    let searches = Promise.forEach(texts.debounce(for: .milliseconds(300), clock: world.clock)) { text in
      searched.append(text)
      return .fulfilled(())
    }
    // The Tasks of the debounce are not in the world. The test waits until one of them sleeps on the world's clock.
    let sleeps = { (try? world.verify(.timers)) == nil }

    await typed.send("l")
    #expect(await eventually { requests.entries.count == 2 && sleeps() })
    world.advance(by: .milliseconds(200))
    await typed.send("letters")
    #expect(await eventually { requests.entries.count == 3 })
    world.advance(by: .milliseconds(100))
    // The sleep that began with "l" has ended. The debounce sleeps for the rest, because another text has come.
    #expect(await eventually(sleeps))
    #expect(searched.entries.isEmpty)
    world.advance(by: .milliseconds(200))
    #expect(await eventually { searched.entries == ["letters"] })
    typed.finish()
    try await searches.value
    world.end()
  }

  private func later(_ value: Int) async throws -> Int { try await Promise.fulfilled(value).value }
}
