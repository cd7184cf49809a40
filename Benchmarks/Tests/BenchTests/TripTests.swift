import Dispatch
import Testing

@testable import bench

extension CountingTests {
  @Suite("Timed trips")
  struct TripTests {
    @Test("A round times each of its round trips and each of its awaits")
    func everyTrip() throws {
      let roundTrips = try RoundTrips.measure(20, handlers: 1, of: "test") { queue, done in
        queue.async { finish(1, signalling: done) }
      }
      #expect(roundTrips.trips.count == 20)
      #expect(try Awaits.measure(30, of: "test") { _ in 1 }.trips.count == 30)
    }
  }
}
