import PromiseCombinators
import TestSupport
import Testing

extension AsyncGuide {
  @Suite("The guide to async code: async closures and a Deferred in place of a continuation")
  struct AsyncClosuresTests {
    @Test("Async links run their closures in order", arguments: ["Oslo", ""])
    func links(_ address: String) throws {
      try TestWorld.run { world in
        let client = Client()
        let town = client.homeTown(of: 7)
        client.server.answer.fulfill(User(address: address))
        #expect(world.settling(town).valueNow == (address.isEmpty ? "the town of nowhere" : "the town of Oslo"))
        #expect(client.log.entries == ["audit Ada"])
      }
    }

    @Test(
      "Operators take async closures and cancel their Tasks with the result",
      arguments: [false, true])
    func operators(_ isCancelled: Bool) throws {
      try TestWorld.run(checking: .running) { world in
        let client = Client()
        let (ids, input) = AsyncStream.makeStream(of: Int.self)
        for id in 1...2 { input.yield(id) }
        input.finish()
        let (user, users) = (client.patientUser(1), client.users(ids))
        world.runUntilIdle()
        if isCancelled {
          user.cancel()
          users.cancel()
          world.runUntilIdle()
          #expect(client.server.answer.promise.isCancelled)
        } else {
          client.server.answer.fulfill(User())
          #expect(world.settling(user).valueNow == User() && world.settling(users).valueNow == [User(), User()])
        }
      }
    }
  }
}
