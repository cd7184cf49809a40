import TestSupport
import Testing

@testable import tokens

@Suite("The vault of the example Tokens") struct TokenVaultTests {
  @Test("Whenever callers ask the vault, it makes one request for all of them")
  func oneRequest() throws {
    try TestWorld.explore(schedules: 500, seed: 1) { world in
      let requests = Log<Int>()
      let vault = TokenVault {
        requests.append(requests.entries.count + 1)
        return Promise.run { "token" }
      }
      let tasks = (0..<3).map { _ in Task(executorPreference: world.taskExecutor) { try await vault.token() } }
      for task in tasks {
        let token = try await task.value
        world.expect(token == "token")
      }
      world.expect(requests.entries == [1], "one request for all callers")
    }
  }

  @Test("The last caller that gives up cancels the request, and the next caller makes another request")
  func givingUp() throws {
    try TestWorld.explore(schedules: 200, seed: 3) { world in
      let owners = [Deferred<String>(), Deferred<String>()]
      let requests = Log<Int>()
      let vault = TokenVault {
        requests.append(requests.entries.count)
        return owners[requests.entries.count - 1].promise
      }
      let impatient = [1, 2].map { seconds in
        Task(executorPreference: world.taskExecutor) { try await vault.token(within: .seconds(seconds)) }
      }
      for task in impatient {
        let result = await task.result
        world.expect((try? result.get()) == nil)
      }
      world.expect(owners[0].promise.isCancelled && requests.entries == [0])
      owners[1].fulfill("token")
      let token = try await vault.token()
      world.expect(token == "token" && requests.entries == [0, 1])
    }
  }

  @Test("A cancellation that comes after the next request does not stop that request", .bounded)
  func lateCancellation() async throws {
    // The order is a race, so the test runs several times.
    for _ in 1...20 {
      let service = TokenService()
      let first = service.requestToken()
      // The service may drop it.
      first.onRejected { _ in }
      try await service.waitForRequest()
      let second = service.requestToken()
      first.cancel()
      while await service.requests < 2 { await Task.yield() }
      // If the second request was faster, the service has dropped the first one, and no cancellation comes.
      if first.isCancelled { _ = try await service.waitForCancellation() }
      await service.answer(with: "token")
      #expect(try await second.value == "token")
    }
  }

  @Test("The next caller after a failed request makes another request")
  func failedRequest() throws {
    try TestWorld.explore(schedules: 100, seed: 2) { world in
      let requests = Log<Int>()
      let vault = TokenVault {
        requests.append(requests.entries.count + 1)
        let number = requests.entries.count
        return Promise.run { if number == 1 { throw TestError(1) } else { "token" } }
      }
      let first = await Task(executorPreference: world.taskExecutor) { try await vault.token() }.result
      world.expect((try? first.get()) == nil)
      let second = try await vault.token()
      world.expect(second == "token" && requests.entries == [1, 2])
    }
  }
}
