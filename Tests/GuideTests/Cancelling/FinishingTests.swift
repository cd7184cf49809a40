import PromiseContexts
import PromiseTesting
import TestSupport
import Testing

// Contains the snippets under "When has it stopped?" in Docs/Guides/Cancellation.md, word for word.
// `Scripts/check-snippets.py` compares them.

/// A socket whose read ignores the cancellation of its Task, and ends when the socket is shut down or closed.
private final class Socket: Sendable {
  private let body = StubbornBody()
  let log = Log<String>()

  func read() async throws -> String {
    _ = await body()
    log.append("read")
    return "line"
  }

  func shutDown() {
    log.append("shut down")
    body.end()
  }

  func close() -> Promise<Void> {
    log.append("close")
    body.end()
    return .fulfilled()
  }
}

@Suite("The guide to cancellation: when work has stopped", .bounded) struct FinishingTests {
  @Test("The example waits until the closure has returned, if it has begun", .rule("2.11"))
  func copying() async throws {
    let begins = Log<Bool>()
    let ends = Log<Bool>()
    let body = StubbornBody()
    body.end()
    @Sendable func copyFiles() async throws {
      begins.append(true)
      _ = await body()
      ends.append(true)
    }
    let copy = Promise.task { try await copyFiles() }
    copy.cancel()  // settled at once, but the closure may still write a file
    try await copy.whenFinished().value  // now the closure has returned
    #expect(copy.isFinished)
    #expect(begins.entries.count == ends.entries.count)
  }

  @Test("An object that shuts down waits until the work in its bag has stopped", .rule("2.11"))
  func shuttingDown() async throws {
    let bag = CancelBag()
    let ends = Log<Int>()
    let begun = Deferred<Void>()
    let body = StubbornBody()
    Promise.task {
      begun.fulfill()
      ends.append(await body())
    }.bound(to: bag)
    try await begun.promise.value
    body.end()
    bag.cancelAll()
    try await bag.whenFinished().value
    #expect(ends.entries == [1])
  }

  @Test("A cleanup that ends the work for which it waits never begins", .rule("2.10"))
  func waitingForItself() throws {
    try TestWorld.run { world in
      let socket = Socket()
      let line = Promise.task { try await socket.read() }.alwaysThen { _ in socket.close() }
      world.runUntilIdle()
      line.cancel(upstream: true)
      world.runUntilIdle()
      #expect(socket.log.entries.isEmpty)
      #expect(!line.isFinished)
      let causes = line.causes.map(\.summary)
      #expect(causes.count == 2)
      #expect(causes.contains { $0.hasPrefix("the cleanup of alwaysThen at") && $0.hasSuffix("which has not begun") })
      #expect(causes.contains { $0.hasPrefix("the Task of a settled promise made at") })
      #expect(causes.contains { $0.hasSuffix("which is running") })
      socket.shutDown()
      world.runUntilIdle()
      #expect(socket.log.entries == ["shut down", "read", "close"])
      #expect(line.isFinished)
    }
  }

  @Test("A hook of the owner ends the work at once", .rule("2.11", "4.5"))
  func hook() throws {
    try TestWorld.run { world in
      let socket = Socket()
      let line = Promise<String> { deferred in
        deferred.onCancel { _ in socket.shutDown() }
        deferred.follow(Promise.task { try await socket.read() })
      }
      world.runUntilIdle()
      line.cancel()
      #expect(socket.log.entries == ["shut down"])
      #expect(!line.isFinished)
      world.runUntilIdle()
      #expect(socket.log.entries == ["shut down", "read"])
      #expect(line.isFinished)
    }
  }
}
