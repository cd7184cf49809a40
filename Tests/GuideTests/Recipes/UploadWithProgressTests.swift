import PromiseContexts
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/UploadWithProgress.md, word for word. `Scripts/check-snippets.py` compares them.

private typealias Bytes = [UInt8]

/// An uploader whose transfers the test reports and completes.
private final class Uploader: Sendable {
  private let transfers = Log<Transfer<String>>()
  var last: Transfer<String>? { transfers.entries.last }

  func send(
    _ bytes: Bytes, progress: @escaping @Sendable (_ sent: Int, _ total: Int) -> Void,
    completion: @escaping @Sendable (String?, (any Error)?) -> Void
  ) -> Transfer<String> {
    let transfer = Transfer(progress: progress, completion: completion)
    return transfers.append(transfer, returning: transfer)
  }
}

private enum Guide {
  struct Album: Sendable {
    let uploader: Uploader
    let compressing: Deferred<Bytes>

    func compress(_ bytes: Bytes) -> Promise<Bytes> { compressing.promise }

    func upload(_ bytes: Bytes) -> Promise<String> {
      Promise { deferred in
        let transfer = uploader.send(
          bytes,
          progress: { sent, total in deferred.report(progress: Double(sent) / Double(total)) },
          completion: deferred.resolve)
        deferred.onCancel { [weak transfer] _ in transfer?.stop() }
      }
    }

    func publish(_ film: Bytes) -> Promise<String> {
      compress(film)  // a fifth of the bar
        .then(weight: 4) { bytes in upload(bytes) }  // four fifths
    }
  }

  @MainActor
  final class UploadScreen {
    private let album: Album
    private var upload: Promise<String>?
    private(set) var bar = 0.0
    private(set) var text = ""

    init(_ album: Album) { self.album = album }

    func start(_ film: Bytes) {
      let upload = album.publish(film)
      self.upload = upload
      upload
        .onProgress(on: .main) { [weak self] in self?.bar = $0 }
        .onFulfilled(on: .main) { [weak self] address in self?.text = "Published at \(address)" }
        .onRejected(on: .main) { [weak self] error in
          self?.text = upload.isCancelled ? "Stopped" : "Failed: \(error)"
        }
    }

    func pressStop() { upload?.cancel(upstream: true) }
  }
}

@Suite("The recipe for an upload with progress")
@MainActor
struct UploadWithProgressTests {
  private let album = Guide.Album(uploader: Uploader(), compressing: Deferred())

  @Test("The bar moves through both steps and is full when the upload is published", .rule("5.2", "5.4"))
  func progress() throws {
    try TestWorld.run(checking: .running) { world in
      let screen = Guide.UploadScreen(album)
      screen.start([1, 2, 3])
      album.compressing.report(progress: 0.5)
      world.runUntilIdle()
      #expect(screen.bar == 0.1)
      album.compressing.fulfill([1])
      world.runUntilIdle()
      #expect(screen.bar == 0.2)
      album.uploader.last?.progress(0, 0)
      album.uploader.last?.progress(50, 100)
      world.runUntilIdle()
      #expect(abs(screen.bar - 0.6) < 1e-9)
      album.uploader.last?.completion("films/1", nil)
      world.runUntilIdle()
      #expect(screen.bar == 1)
      #expect(screen.text == "Published at films/1")
    }
  }

  @Test("The stop button stops the transfer, and the bar keeps its position", .rule("4.4", "5.2"))
  func stop() throws {
    try TestWorld.run(checking: .running) { world in
      let screen = Guide.UploadScreen(album)
      screen.start([1])
      album.compressing.fulfill([1])
      world.runUntilIdle()
      screen.pressStop()
      #expect(album.uploader.last?.isStopped == true)
      world.runUntilIdle()
      #expect(screen.text == "Stopped")
      #expect(screen.bar == 0.2)
    }
  }

  @Test("The screen tells a failure apart from a stop", .rule("1.2"))
  func failure() throws {
    try TestWorld.run(checking: .running) { world in
      let screen = Guide.UploadScreen(album)
      screen.start([1])
      album.compressing.reject(TestError(1))
      world.runUntilIdle()
      #expect(screen.text.hasPrefix("Failed"))
    }
  }
}
