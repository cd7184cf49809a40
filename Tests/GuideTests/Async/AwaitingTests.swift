import PromiseCombinators
import TestSupport
import Testing

extension AsyncGuide {
  @Suite("The guide to async code: Tasks that wait for a promise")
  struct AwaitingTests {
    @Test(
      "A cancelled Task throws at once and stops its own request, but not the request of a cache", .rule("4.7"),
      arguments: [false, true])
    func cancelled(_ isOwn: Bool) throws {
      try TestWorld.run(checking: .running) { world in
        let client = Client()
        let waiting = Promise.task {
          isOwn ? try await client.greeting(for: 7) : try await client.name(of: 7)
        }
        world.runUntilIdle()
        #expect(waiting.isPending)
        waiting.cancel()
        world.runUntilIdle()
        #expect(waiting.isCancelled)
        #expect(client.server.answer.promise.isCancelled == isOwn)
        client.server.answer.fulfill(User())
      }
    }

    @Test("A screen that is dismissed stops its request and shows nothing", .rule("4.7"), arguments: [false, true])
    func screen(_ isDismissed: Bool) throws {
      try TestWorld.run(checking: .running) { world in
        let client = Client()
        let loading = Promise.task { await client.load() }
        world.runUntilIdle()
        if isDismissed { loading.cancel() } else { client.server.answer.fulfill(User()) }
        world.runUntilIdle()
        #expect(client.log.entries == (isDismissed ? [] : ["Ada, Oslo"]))
        #expect(client.server.answer.promise.isCancelled == isDismissed)
      }
    }

    @Test(
      "Child Tasks stop their requests if a sibling fails or the parent is cancelled", .rule("4.7"),
      arguments: [false, true])
    func children(_ fails: Bool) throws {
      // The world does not check unhandled rejections, because the server's `answer` is broken without a handler.
      try TestWorld.run(checking: .running.subtracting(.unhandledRejections)) { world in
        let client = Client()
        let faces = Promise.task { try await client.faces() }
        world.runUntilIdle()
        let pictures = client.server.pictures
        #expect(pictures.requested.count == 2)
        if fails { pictures.answer(1, with: .failure(Denied())) } else { faces.cancel() }
        world.runUntilIdle()
        #expect(pictures.stopped.count == (fails ? 1 : 2))
        #expect(faces.isRejected && faces.isCancelled != fails)
      }
    }

    @Test(
      "A timeout does not wait for the work that it has cancelled", .rule("4.9"),
      arguments: [false, true])
    func timeout(_ comesInTime: Bool) throws {
      try TestWorld.run(checking: .running) { world in
        let client = Client()
        let greeting = Promise.task { try await client.quickGreeting(for: 7) }
        world.advance(by: .milliseconds(2_999))
        #expect(greeting.isPending)
        if comesInTime { client.server.answer.fulfill(User()) }
        world.advance(by: .milliseconds(1))
        #expect(greeting.valueNow == (comesInTime ? "Hello, Ada!" : nil))
        #expect(client.server.answer.promise.isCancelled != comesInTime)
        if !comesInTime { #expect(name(of: greeting.errorNow) == "timedOut") }
      }
    }
  }
}
