import TestSupport
import Testing

// Holds the Swift blocks under "Down and up" in Docs/Guides/Cancellation.md, word for word. `make lint` compares them.

/// A transfer that can be stopped.
private final class Transfer: Sendable {
  private let state: Locked<(isStopped: Bool, completion: (@Sendable (Int) -> Void)?)>

  init(completion: @escaping @Sendable (Int) -> Void) { state = Locked((false, completion)) }

  var isStopped: Bool { state.withLock { $0.isStopped } }
  func stop() { state.withLock { $0 = (true, nil) } }
  func end() { state.withLock { $0.completion }?(41) }
}

private final class Server: Sendable {
  let transfers = Log<Transfer>()

  func download() -> Promise<Int> {
    let deferred = Deferred<Int>()
    let transfer = Transfer { size in deferred.fulfill(size) }
    deferred.onCancel { _ in transfer.stop() }
    transfers.append(transfer)
    return deferred.promise
  }
}

@Suite("Examples of Docs/Guides/Cancellation.md") struct CancellationDocumentTests {
  let context = ManualContext()
  private let server = Server()

  @Test("cancel() rejects the links below, and the owner's hook stops the work", .rule("4.2", "4.5"))
  func down() {
    let download = server.download()
    let doubled = download.map(on: context) { $0 * 2 }
    let text = doubled.map(on: context) { "\($0) bytes" }
    doubled.cancel()  // doubled and text are rejected with CancellationError; download goes on
    #expect(doubled.isCancelled)
    #expect(text.isCancelled)
    #expect(download.isPending)
    download.cancel()  // now the transfer is stopped
    #expect(server.transfers.entries[0].isStopped)
  }

  @Test("Giving up stops the source once no other consumer is left", .rule("4.4"))
  func up() {
    let download = server.download()
    let label = download.map(on: context) { "\($0) bytes" }
    let progress = download.map(on: context) { $0 * 100 / 82 }
    label.cancel(upstream: true)  // progress still wants the download
    #expect(label.isCancelled)
    #expect(download.isPending)
    #expect(progress.isPending)
    progress.cancel(upstream: true)  // it was the last consumer: the transfer is stopped
    #expect(server.transfers.entries[0].isStopped)
  }

  @Test("cancel() gives up an adopted promise, and a link made later may recover", .rule("4.3", "4.4"))
  func adopted() {
    let context = context
    let server = server
    let both = server.download().then(on: context) { first in
      server.download().map(on: context) { second in first + second }
    }
    server.transfers.entries[0].end()
    context.step()
    both.cancel()  // the second transfer is stopped, the first has come to its end
    let total = both.recover(on: context) { _ in 0 }  // made later: an ordinary rejection
    context.runUntilIdle()
    #expect(server.transfers.entries.map(\.isStopped) == [false, true])
    #expect(both.isCancelled)
    #expect(total.status == .fulfilled(0))
  }
}
