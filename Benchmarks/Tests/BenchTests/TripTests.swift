import Dispatch
import Testing

@testable import bench

extension CountingTests {
  @Suite("trips")
  struct TripTests {
    @Test("each round trip of a round is timed, and so is each await")
    func everyTrip() throws {
      let roundTrips = try RoundTrips.measure(20, handlers: 1, of: "test") { queue, done in
        queue.async { finish(1, signalling: done) }
      }
      #expect(roundTrips.trips.count == 20)
      #expect(try Awaits.measure(30, of: "test") { _ in 1 }.trips.count == 30)
    }
  }
}
