import PromiseCombinators
import TestSupport
import Testing

extension AsyncGuide {
  @Suite("The guide to async code: Tasks that wait for a promise, and async closures")
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
        #expect(faces.isRejected)
        #expect(faces.isCancelled != fails)
      }
    }

    @Test("A timeout does not wait for the work that it has cancelled", .rule("4.9"), arguments: [false, true])
    func timeout(_ comesInTime: Bool) throws {
      try TestWorld.run(checking: .running) { world in
        let client = Client()
        let greeting = Promise.task { try await client.quickGreeting(for: 7) }
        world.advance(by: .milliseconds(2_999))
        #expect(greeting.isPending)
        if comesInTime { client.server.answer.fulfill(User()) }
        world.advance(by: .milliseconds(1))
        #expect(greeting.state.value == (comesInTime ? "Hello, Ada!" : nil))
        #expect(client.server.answer.promise.isCancelled != comesInTime)
        if !comesInTime { #expect(name(of: greeting.error) == "timedOut") }
      }
    }

    @Test("Async links run their closures in order", arguments: ["Oslo", ""])
    func links(_ address: String) throws {
      try TestWorld.run { world in
        let client = Client()
        let town = client.homeTown(of: 7)
        client.server.answer.fulfill(User(address: address))
        #expect(world.settling(town).state.value == (address.isEmpty ? "the town of nowhere" : "the town of Oslo"))
        #expect(client.log.entries == ["audit Ada"])
      }
    }

    @Test("Operators take async closures and cancel their Tasks with the result", arguments: [false, true])
    func operators(_ isCancelled: Bool) throws {
      try TestWorld.run(checking: .running) { world in
        let client = Client()
        let (ids, input) = AsyncStream.makeStream(of: Int.self)
        for id in 1...2 { input.yield(id) }
        input.finish()
        let user = client.patientUser(1)
        let users = client.users(ids)
        world.runUntilIdle()
        if isCancelled {
          user.cancel()
          users.cancel()
          world.runUntilIdle()
          #expect(client.server.answer.promise.isCancelled)
        } else {
          client.server.answer.fulfill(User())
          #expect(world.settling(user).state.value == User())
          #expect(world.settling(users).state.value == [User(), User()])
        }
      }
    }
  }
}
