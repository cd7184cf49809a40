#if canImport(FoundationNetworking)
  import Foundation
  import TestSupport
  import Testing

  @testable import PromiseFoundation

  @Suite("The idle time of a streamed response")
  struct IdleTimerTests {
    private let timers = HandRungTimers()
    private let expiries = Log<Void>()
    private let head = Deferred<HTTPStream>()
    private let end = Deferred<Void>()
    private let body: BodyStream

    init() throws {
      body = BodyStream(head: head, end: end, idleLimit: nil, timers: timers)
      body.startIdleTimer(limit: 10) { [expiries] in expiries.append(()) }
      body.begin(with: try response())
    }

    /// The number of times that the limit had passed when the time has moved.
    private func expiries(after seconds: Int) -> Int {
      timers.advance(by: .seconds(seconds))
      return expiries.entries.count
    }

    @Test("A server that is silent for the whole time has exceeded it once")
    func silence() {
      #expect(expiries(after: 9) == 0)
      #expect(expiries(after: 1) == 1)
      #expect(expiries(after: 100) == 1)
    }

    @Test("Whatever the server sends begins the time anew")
    func restart() {
      for _ in 0..<3 {
        #expect(expiries(after: 9) == 0)
        body.restartIdleTimer()
      }
      #expect(expiries(after: 9) == 0)
      #expect(expiries(after: 1) == 1)
    }

    @Test("The time does not pass while the consumer is slower than the server")
    func pause() async throws {
      #expect(expiries(after: 9) == 0)
      body.append(Data(count: BodyStream.capacity))
      for _ in 0..<3 { #expect(expiries(after: 100) == 0) }
      _ = try await body.next()
      #expect(expiries(after: 9) == 0)
      #expect(expiries(after: 1) == 1)
    }

    @Test("A request that has ended exceeds no time")
    func stop() {
      body.stopIdleTimer()
      #expect(expiries(after: 100) == 0)
    }
  }
#endif
