import PromiseGates
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

@Suite("The recipe for a cache") struct CacheTests {
  private typealias Thumbnails = Guide.Thumbnails

  @Test("Clients share one load, and later clients get the stored image")
  func shared() throws {
    try TestWorld.run { world in
      let loader = Requests<String, Image>()
      let cache = Thumbnails(load: loader.begin)
      let one = cache.image("cat")
      let two = cache.image("cat")
      world.runUntilIdle()
      #expect(loader.requested.count == 1)
      loader.answer("cat", with: .success(Image(name: "cat")))
      let images = try await [one.value, two.value]
      #expect(images == [Image(name: "cat"), Image(name: "cat")])
      #expect(cache.image("cat").isFulfilled)
      #expect(loader.requested.count == 1)

      cache.forget("cat")
      let three = cache.image("cat")
      world.runUntilIdle()
      #expect(loader.requested.count == 2)
      loader.answer("cat", with: .success(Image(name: "other cat")))
      let other = try await three.value
      #expect(other == Image(name: "other cat"))
    }
  }
}
