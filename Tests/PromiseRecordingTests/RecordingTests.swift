import PromiseRecording
import Testing

@Suite("Recordings")
struct RecordingTests {
  @Test("A recording keeps its events in order")
  func order() {
    let events = [1, 2].map { Recording.Event(time: .seconds($0), thread: 1, kind: .returned($0)) }
    #expect(Recording(events: events, duration: .seconds(3)).events.map(\.time) == [.seconds(1), .seconds(2)])
  }
}
