import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets about retries that continue or ask in Docs/Reference/Operators.md, word for word.

private struct Offline: Error {}

/// A post office. The test answers its questions, and says how many letters it accepts.
private struct Server: Sendable {
  let network = Deferred<Bool>()
  let pages = Log<String>()

  func isOnline() -> Promise<Bool> { network.promise }

  func page(_ name: String) -> Promise<String> {
    pages.append(name)
    return pages.entries.count == 1 ? .rejected(Offline()) : .fulfilled("sun")
  }
}

@Suite("The guide to operators: retries that continue or ask") struct ContinuingRetryTests {
  private let server = Server()
  private let posted = Log<String>()

  private func post(_ letter: String) -> Promise<Void> {
    posted.append(letter)
    return posted.entries.count == 2 ? .rejected(TestError(2)) : .fulfilled(())
  }

  func send(_ letters: [String], from attempt: RetryAttempt<Int>) -> Promise<Void> {
    Promise.forEach(attempt.carried..<letters.count) { number in
      post(letters[number]).tap { _ in attempt.carry(number + 1) }
    }
  }

  func patientWeather() -> Promise<String> {
    Promise.retry(
      attempts: 9, carrying: (),
      asking: { [server] _, error in
        guard error is Offline else { return .fulfilled(false) }
        return server.isOnline().timeout(.seconds(60)).recover { _ in false }
      },
      { [server] _ in server.page("weather") })
  }

  @Test("The next attempt begins with the first letter that was not posted")
  func letters() throws {
    try TestWorld.run(checking: .running) { world in
      let all = Promise.retry(attempts: 9, carrying: 0) { attempt in send(["a", "b", "c"], from: attempt) }
      world.advance(by: .seconds(1))
      #expect(all.isFulfilled)
      #expect(posted.entries == ["a", "b", "b", "c"])
    }
  }

  @Test("The weather is requested again when the network is there, and its error remains if it does not come")
  func weather() throws {
    try TestWorld.run(checking: .running) { world in
      let weather = patientWeather()
      world.advance(by: .seconds(30))
      #expect(server.pages.entries == ["weather"])
      server.network.fulfill(true)
      world.advance(by: .seconds(1))
      #expect(weather.state.value == "sun")
      let other = ContinuingRetryTests()
      let late = other.patientWeather()
      world.advance(by: .seconds(60))
      #expect(late.error is Offline)
    }
  }
}
