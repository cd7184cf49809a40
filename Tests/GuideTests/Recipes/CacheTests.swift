import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/Cache.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Image: Equatable, Sendable {
  let name: String
}

private enum Guide {
  final class Thumbnails: Sendable {
    private let load: @Sendable (String) -> Promise<Image>
    private let images = ValueCache<String, Image>(lifetime: .seconds(600), limit: 200)

    init(load: @escaping @Sendable (String) -> Promise<Image>) { self.load = load }

    func image(_ name: String) -> Promise<Image> {
      images.value(for: name) { [load] in load(name) }
    }

    func forget(_ name: String) { images.removeValue(for: name) }
  }
}

/// A loader whose images the test provides.
private final class Loader: Sendable {
  let works = Locked<[Deferred<Image>]>([])
  let stopped = Locked(0)

  @Sendable func load(_ name: String) -> Promise<Image> {
    let work = Deferred<Image>()
    work.onCancel { [stopped] _ in _ = stopped.increment() }
    works.withLock { $0.append(work) }
    return work.promise
  }

  var count: Int { works.withLock { $0.count } }
  func answer(_ image: Image) { _ = works.withLock { $0.last }?.fulfill(image) }
  func fail() { _ = works.withLock { $0.last }?.reject(TestError(1)) }
}

@Suite("The recipe for a cache")
struct CacheTests {
  private typealias Thumbnails = Guide.Thumbnails

  @Test("Clients share one load, and later clients get the stored image")
  func shared() throws {
    try TestWorld.run { world in
      let loader = Loader()
      let cache = Thumbnails(load: loader.load)
      let (one, two) = (cache.image("cat"), cache.image("cat"))
      world.runUntilIdle()
      #expect(loader.count == 1)
      loader.answer(Image(name: "cat"))
      let value1 = try await one.value
      #expect(value1 == Image(name: "cat"))
      let value2 = try await two.value
      #expect(value2 == Image(name: "cat"))
      #expect(cache.image("cat").isFulfilled && loader.count == 1)

      cache.forget("cat")
      let three = cache.image("cat")
      world.runUntilIdle()
      #expect(loader.count == 2)
      loader.answer(Image(name: "other cat"))
      let value3 = try await three.value
      #expect(value3 == Image(name: "other cat"))
    }
  }

  @Test("An error is not stored, so the next client loads again")
  func errors() throws {
    try TestWorld.run { world in
      let loader = Loader()
      let cache = Thumbnails(load: loader.load)
      let one = cache.image("cat")
      world.runUntilIdle()
      loader.fail()
      await #expect(throws: TestError.self) { try await one.value }
      let two = cache.image("cat")
      world.runUntilIdle()
      #expect(loader.count == 2)
      loader.answer(Image(name: "cat"))
      let value4 = try await two.value
      #expect(value4 == Image(name: "cat"))
    }
  }

  @Test("The load stops when the last client has given up, and not before", .rule("4.6"))
  func giveUp() throws {
    try TestWorld.run(checking: .running) { world in
      let loader = Loader()
      let cache = Thumbnails(load: loader.load)
      let (one, two) = (cache.image("cat"), cache.image("cat"))
      world.runUntilIdle()
      one.cancel()
      #expect(loader.stopped.withLock { $0 } == 0)
      two.cancel()
      #expect(loader.stopped.withLock { $0 } == 1)
    }
  }

  @Test("No order of events leads to a second load")
  func noGap() throws {
    let explored = try TestWorld.explore(schedules: 200, seed: 1) { world in
      let count = Locked(0)
      let cache = Thumbnails { name in
        _ = count.increment()
        return Promise.run { Image(name: name) }
      }
      let clients = (1...3).map { _ in Promise.task { try await cache.image("cat").value } }
      for client in clients { _ = try await client.value }
      world.expect(count.withLock { $0 } == 1, "one load")
    }
    #expect(explored.schedules == 200)
  }
}
