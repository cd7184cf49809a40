import PromiseCombinators
import TestSupport
import Testing

extension AsyncGuide {
  @Suite("The guide to async code: async closures and a Deferred in place of a continuation")
  struct AsyncClosuresTests {
    @Test("Promise.task settles its promise with the outcome of the async code")
    func task() throws {
      // The world does not check unhandled rejections, because the `answer` of each server is broken without a handler.
      try TestWorld.run(checking: .running.subtracting(.unhandledRejections)) { world in
        #expect(world.settling(Client().login()).valueNow == Token(number: 1))
        #expect(world.settling(Client(Server(refusals: 1)).login()).errorNow is Denied)
      }
    }

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

    @Test(
      "A Deferred tolerates a second answer, and breaks its promise if the callback is lost", .rule("1.3"),
      .rule("6.2"),
      arguments: Sensor.Habit.allCases)
    func completer(_ habit: Sensor.Habit) async {
      let late = Log<SecondSettlement>()
      await Diagnostics.scoped(secondSettlement: late.append) {
        do {
          let reading = try await Client().nextReading(of: Sensor(habit))
          #expect(reading == 1)
          #expect(habit == .answers || habit == .answersTwice)
        } catch {
          #expect(name(of: error) == (habit == .forgets ? "broken" : "Denied()"))
          #expect(habit == .forgets || habit == .fails)
        }
      }
      #expect(late.entries.count == (habit == .answersTwice ? 1 : 0))
    }
  }
}
