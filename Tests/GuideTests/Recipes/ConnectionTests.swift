import PromiseCombinators
import Synchronization
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/Connection.md, word for word. `Scripts/check-snippets.py` compares them.

private enum Guide {
  /// An open connection, which sends a request with its number.
  protocol Wire: Sendable {
    func send(_ question: String, number: Int) throws
  }

  enum WireEvent: Sendable {
    case answer(number: Int, text: String)
    case lost(any Error)
  }

  final class Client: Sendable {
    typealias Connect = @Sendable (@escaping @Sendable (WireEvent) -> Void) -> Promise<any Wire>

    private struct State {
      var wire: Promise<any Wire>?
      var waiting: [Int: Deferred<String>] = [:]
      var lastNumber = 0
    }

    private let connect: Connect
    private let state = Mutex(State())

    init(connect: @escaping Connect) { self.connect = connect }

    func ask(_ question: String) -> Promise<String> {
      let answer = Deferred<String>()
      let number = state.withLock { state in
        state.lastNumber += 1
        state.waiting[state.lastNumber] = answer
        return state.lastNumber
      }
      // Also after a cancellation. A late answer then finds no owner.
      answer.onEnd { [weak self] _ in self?.take(number) }
      wire()
        .tap { [weak self] wire in
          if self?.isWaiting(number) == true { try wire.send(question, number: number) }
        }
        .onRejected { [weak self] error in self?.take(number)?.reject(error) }
      return answer.promise
    }

    /// Returns the connection, which is opened if there is none.
    private func wire() -> Promise<any Wire> {
      state.withLock { state in
        if let wire = state.wire, !wire.isRejected { return wire.shielded() }
        let wire = Promise.retry(attempts: 5, backoff: .exponential(first: .milliseconds(100)).jittered()) {
          [connect, weak self] in connect { [weak self] in self?.receive($0) }
        }
        state.wire = wire
        return wire.shielded()
      }
    }

    private func receive(_ event: WireEvent) {
      switch event {
      case .answer(let number, let text): take(number)?.fulfill(text)
      case .lost(let error):
        let owners = state.withLock { state in
          defer { (state.wire, state.waiting) = (nil, [:]) }
          return state.waiting.values
        }
        for owner in owners { owner.reject(error) }
      }
    }

    @discardableResult
    private func take(_ number: Int) -> Deferred<String>? {
      state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    private func isWaiting(_ number: Int) -> Bool { state.withLock { $0.waiting[number] != nil } }
  }
}

private struct ConnectionLost: Error, Equatable {}
private struct NotReached: Error {}

/// A network whose connections a test answers and breaks.
private final class Network: Sendable {
  struct Wire: Guide.Wire {
    let sent = Log<String>()
    let receive: @Sendable (Guide.WireEvent) -> Void

    func send(_ question: String, number: Int) throws { sent.append("\(number) \(question)") }
  }

  /// The number of attempts that fail.
  let failures: Locked<Int>
  let wires = Log<Wire>()

  init(failures: Int = 0) { self.failures = Locked(failures) }

  func connect(_ receive: @escaping @Sendable (Guide.WireEvent) -> Void) -> Promise<any Guide.Wire> {
    let fails = failures.withLock { count in
      count -= 1
      return count >= 0
    }
    if fails { return .rejected(NotReached()) }
    let wire = Wire(receive: receive)
    wires.append(wire)
    return .fulfilled(wire)
  }
}

@Suite("The recipe for a connection") struct ConnectionTests {
  private func run(failures: Int = 0, _ body: (TestWorld, Network, Guide.Client) throws -> Void) throws {
    try TestWorld.run(checking: .running) { world in
      let network = Network(failures: failures)
      try body(world, network, Guide.Client(connect: network.connect))
    }
  }

  @Test("Answers reach their questions in any order, through one connection")
  func correlates() throws {
    try run { world, network, client in
      let one = client.ask("one")
      let two = client.ask("two")
      world.runUntilIdle()
      let wires = network.wires.entries
      try #require(wires.count == 1)
      #expect(wires[0].sent.entries.sorted() == ["1 one", "2 two"])
      wires[0].receive(.answer(number: 2, text: "b"))
      wires[0].receive(.answer(number: 7, text: "of no question"))
      wires[0].receive(.answer(number: 1, text: "a"))
      world.runUntilIdle()
      #expect(one.state.value == "a")
      #expect(two.state.value == "b")
    }
  }

  @Test("A connection is opened again after attempts that fail, and after a loss")
  func reconnects() throws {
    try run(failures: 2) { world, network, client in
      let weather = Promise.retry(
        attempts: 3, while: { _, error in error is ConnectionLost }, { client.ask("weather") })
      world.advance(by: .seconds(1))
      try #require(network.wires.entries.count == 1)
      network.wires.entries[0].receive(.lost(ConnectionLost()))
      world.advance(by: .seconds(2))
      try #require(network.wires.entries.count == 2)
      network.wires.entries[1].receive(.answer(number: 2, text: "sun"))
      world.runUntilIdle()
      #expect(weather.state.value == "sun")
    }
  }

  @Test("A client that gives up does not close the connection for others", .rule("4.10"))
  func givesUp() throws {
    try run { world, network, client in
      let one = client.ask("one")
      let two = client.ask("two")
      one.cancel(upstream: true)
      world.runUntilIdle()
      try #require(network.wires.entries.count == 1)
      #expect(network.wires.entries[0].sent.entries == ["2 two"])
      network.wires.entries[0].receive(.answer(number: 1, text: "late"))
      network.wires.entries[0].receive(.answer(number: 2, text: "b"))
      world.runUntilIdle()
      #expect(one.isCancelled)
      #expect(two.state.value == "b")
    }
  }
}
