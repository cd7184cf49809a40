import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/ImagePipeline.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Image: Equatable, Sendable {
  let bytes: [UInt8]
  static let placeholder = Image(bytes: [])

  var byteCount: Int { bytes.count }

  init(bytes: [UInt8]) { self.bytes = bytes }

  init(decoding bytes: [UInt8]) throws {
    if bytes.isEmpty { throw TestError(1) }
    self.init(bytes: bytes)
  }
}

private enum Guide {
  final class ImagePipeline: Sendable {
    private let download: @Sendable (String) -> Promise<[UInt8]>
    private let images = ValueCache<String, Image>(limit: 50_000_000) { image in image.byteCount }
    private let connections = ConcurrencyLimit(4)

    init(download: @escaping @Sendable (String) -> Promise<[UInt8]>) { self.download = download }

    func image(_ name: String, for screen: QueuePriority) -> Promise<Image> {
      images.value(for: name) { [connections, download] in
        Promise.retry(attempts: 3) {
          connections.run(queuePriority: screen) { download(name).timeout(.seconds(10)) }
        }
        .map { bytes in try Image(decoding: bytes) }  // on the pool
      }
    }
  }

  @MainActor
  final class Cell {
    private var wanted: Promise<Image>?
    private(set) var image: Image?

    func show(_ name: String, from pipeline: ImagePipeline, on screen: QueuePriority) {
      wanted?.cancel(upstream: true)  // stops the download, unless another cell wants the image
      image = nil
      let wanted = pipeline.image(name, for: screen)
      self.wanted = wanted
      wanted.onFulfilled(on: .main) { [weak self] image in self?.image = image }
      wanted.onFailed(on: .main) { [weak self] _ in self?.image = .placeholder }
    }
  }
}

@Suite("The recipe for images of a list") struct ImagePipelineTests {
  private let server = Requests<String, [UInt8]>()

  @Test("The downloads of a visible screen come before those of a screen that has disappeared")
  func priorities() throws {
    try TestWorld.run(checking: .running) { world in
      let pipeline = Guide.ImagePipeline(download: server.begin)
      let old = QueuePriority(1)
      let new = QueuePriority(1)
      let waiting = ["a", "b", "c", "d", "e", "f"].map { name in pipeline.image(name, for: old) }
      world.runUntilIdle()
      old.level = 0
      let visible = pipeline.image("new", for: new)
      world.runUntilIdle()
      #expect(server.requested == ["a", "b", "c", "d"])
      server.answer("a", with: .success([1]))
      world.runUntilIdle()
      server.answer("b", with: .success([1]))
      world.runUntilIdle()
      #expect(server.requested.suffix(2) == ["new", "e"])
      for promise in waiting + [visible] { promise.cancel(upstream: true) }
      world.runUntilIdle()
    }
  }

  @Test("The last cell that gives up stops the download, and a reused cell shows no placeholder")
  @MainActor func cells() throws {
    try TestWorld.run(checking: .running) { world in
      let pipeline = Guide.ImagePipeline(download: server.begin)
      let screen = QueuePriority(1)
      let one = Guide.Cell()
      let two = Guide.Cell()
      for cell in [one, two] { cell.show("cat", from: pipeline, on: screen) }
      world.runUntilIdle()
      #expect(server.requested == ["cat"])
      one.show("dog", from: pipeline, on: screen)
      world.runUntilIdle()
      #expect(server.stopped == [])
      #expect(one.image == nil)
      two.show("dog", from: pipeline, on: screen)
      world.runUntilIdle()
      #expect(server.stopped == ["cat"])
      #expect(two.image == nil)
      server.answer("dog", with: .success([7]))
      world.runUntilIdle()
      #expect(one.image == two.image)
      #expect(one.image?.bytes == [7])
    }
  }

  @Test(
    "A cell that is reused between an answer and its handler shows nothing of its former row", .rule("2.5"),
    arguments: [false, true])
  @MainActor func reused(isFailure: Bool) throws {
    // Each round takes one more of the steps that follow the last answer.
    var isIdle = false
    var count = 0
    while !isIdle {
      try TestWorld.run(checking: .running) { world in
        let server = Requests<String, [UInt8]>()
        let pipeline = Guide.ImagePipeline(download: server.begin)
        let cell = Guide.Cell()
        let screen = QueuePriority(1)
        cell.show("cat", from: pipeline, on: screen)
        world.runUntilIdle()
        for _ in 0..<(isFailure ? 2 : 0) {
          server.answer("cat", with: .failure(TestError(2)))
          world.advance(by: .seconds(1))
        }
        server.answer("cat", with: isFailure ? .failure(TestError(2)) : .success([7]))
        isIdle = (0..<count).contains { _ in !world.step() }
        cell.show("dog", from: pipeline, on: screen)
        world.runUntilIdle()
        #expect(cell.image == nil, "after \(count) steps")
        server.answer("dog", with: .success([8]))
        world.runUntilIdle()
        #expect(cell.image?.bytes == [8])
      }
      count += 1
    }
    #expect(count > 2)
  }

  @Test("A download that fails three times shows the placeholder")
  @MainActor func failure() throws {
    try TestWorld.run(checking: .running) { world in
      let pipeline = Guide.ImagePipeline(download: server.begin)
      let cell = Guide.Cell()
      cell.show("cat", from: pipeline, on: QueuePriority(1))
      for _ in 0..<3 {
        world.runUntilIdle()
        server.answer("cat", with: .failure(TestError(2)))
        world.advance(by: .seconds(1))
      }
      #expect(server.requested.count == 3)
      #expect(cell.image == .placeholder)
    }
  }
}
