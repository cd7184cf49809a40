import Foundation
import PromiseRecording
import TestSupport
import Testing

@Suite("Traces of unusual recordings") struct TraceShapeTests {
  @Test("A handler that runs inside another is nested in it in the trace")
  func nesting() throws {
    var builder = RecordingBuilder()
    let outer = builder.make("then")
    let inner = builder.make("map")
    builder.run(outer) { builder in
      builder.fulfil(inner)
      builder.run(inner)
    }
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.violations == [])
    #expect(trace.slices(of: trace.tracks(of: "Contexts")["pool"]) == ["then", "map"])
  }

  @Test("The mark of a settlement ends before the handler that contains it")
  func shortMark() throws {
    var builder = RecordingBuilder()
    builder.step = 100
    let promise = builder.make("then")
    builder.run(promise) { $0.fulfil(promise) }
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.violations == [])
    #expect(trace.phase("X").map(\.duration) == [0.2, 0.2, 0.1])
  }

  @Test("Handlers that one context runs at the same time have a track each")
  func lanes() throws {
    var builder = RecordingBuilder()
    let one = builder.make("then")
    let two = builder.make("map")
    builder.add(.began(one, context: "pool"))
    builder.thread = 2
    builder.add(.began(two, context: "pool"))
    builder.thread = 1
    builder.add(.returned(one))
    builder.thread = 2
    builder.add(.returned(two))
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.violations == [])
    #expect(trace.tracks(of: "Contexts").keys.sorted() == ["pool", "pool (2)"])
  }

  @Test("Async handlers that overlap each last until they return, and are on no thread")
  func asyncHandlers() throws {
    var builder = RecordingBuilder()
    let one = builder.make("asyncMap")
    let two = builder.make("asyncTap")
    let inner = builder.make("map")
    builder.add(.began(one, context: "a Task", isAsync: true))
    builder.add(.began(two, context: "a Task", isAsync: true))
    builder.run(inner)
    builder.thread = 2
    builder.add(.returned(one))
    builder.thread = 1
    builder.add(.returned(two))
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.violations == [])
    #expect(trace.phase("X").map(\.name) == ["asyncMap", "asyncTap", "map", "map"])
    #expect(trace.phase("X").map(\.duration) == [5, 5, 1, 1])
    #expect(trace.tracks(of: "Contexts").keys.sorted() == ["a Task", "a Task (2)", "pool"])
    #expect(trace.slices(of: trace.tracks(of: "Threads")["Thread 1"]) == ["map"])
  }

  @Test("A time beyond what the format can express is the latest")
  func extremes() throws {
    let longest = Duration(attoseconds: .max)
    let event = Recording.Event(time: longest, thread: 1, kind: .settled(1, .fulfilled, text: nil))
    for duration in [longest, .seconds(Int64.max), .zero, Duration(attoseconds: .min)] {
      let recording = Recording(events: [event], duration: duration)
      #expect(try ParsedTrace(recording).phase("e").compactMap(\.time) == [Double(Int.max) / 1000])
      #expect(recording.page(title: "").contains("\"duration\":\(Int.max)"))
    }
  }

  @Test("Any number identifies a promise or a thread", arguments: [Int.min, -1, 0, .max])
  func extremeNumbers(number: Int) throws {
    for isAsync in [false, true] {
      let creation = Recording.Creation(
        id: number, operation: "map", type: "", createdAt: CreationSite(), sources: [number], context: "pool")
      let kinds: [Recording.Event.Kind] = [
        .created(creation), .labeled(number, "label"), .waits(number, text: "timer"), .adopted(number, adopted: number),
        .began(number, context: "pool", isAsync: isAsync), .cancelled(number, reason: "", upstream: false),
        .waits(number, text: "gate", gate: Recording.Gate(id: number, places: number)),
        .settled(number, .fulfilled, text: nil), .unfinished(number), .returned(number), .finished(number),
        .left(number), .awaitsFinish(number, of: number),
      ]
      let events = kinds.map { Recording.Event(time: .zero, thread: number, kind: $0) }
      let recording = Recording(events: events, droppedCount: number, duration: .seconds(1))
      let trace = try ParsedTrace(recording)
      #expect(trace.violations == [])
      #expect(trace.phase("X").filter { $0.name == "map label" }.allSatisfy { $0.duration == 0 })
      let id = "0x" + String(UInt(bitPattern: number), radix: 16)
      #expect(trace.phase("b").compactMap(\.id) == [id, id, id])
      #expect(recording.page(title: "").contains("[5,0,\(number),\(number),\(number)]"))
    }
  }

  @Test("An async handler has the track of no thread, whatever the number of the thread")
  func negativeThread() throws {
    var builder = RecordingBuilder()
    let handler = builder.make("asyncMap")
    let inner = builder.make("map")
    builder.add(.began(handler, context: "a Task", isAsync: true))
    builder.thread = -handler
    builder.run(inner, in: "a Task")
    builder.add(.returned(handler))
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.violations == [])
    // A handler that began on a thread is not inside a handler that is on none.
    #expect(trace.tracks(of: "Contexts").keys.sorted() == ["a Task", "a Task (2)"])
  }

  @Test("A handler that has not returned lasts until the end of the recording")
  func unfinished() throws {
    var builder = RecordingBuilder()
    builder.add(.began(builder.make("then"), context: "pool"))
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.phase("X").map(\.end) == [12, 12])
  }

  @Test("A promise that has not finished, and an operation in a gate, have slices until they end or the recording ends")
  func laterSlices() throws {
    for isEnded in [true, false] {
      var builder = RecordingBuilder()
      let place = builder.make("promise")
      builder.add(.waits(place, text: "a place", gate: Recording.Gate(id: 1, places: 1)))
      builder.fulfil(place)
      let work = builder.make("then")
      builder.add(.settled(work, .cancelled, text: nil))
      builder.add(.unfinished(work))
      if isEnded {
        builder.add(.finished(work))
        builder.add(.left(place))
      }
      let trace = try ParsedTrace(builder.recording)
      #expect(trace.violations == [])
      let slices = ["gate", "unfinished"].map { category in
        (trace.phase("b") + trace.phase("e")).filter { $0.category == category }
      }
      #expect(slices.map { $0.map(\.name) } == [["a place", "a place"], ["unfinished then", "unfinished then"]])
      #expect(slices.map { $0.map(\.time) } == [[2, isEnded ? 7 : 16], [5, isEnded ? 6 : 16]])
    }
  }

  @Test("A recording whose first events were dropped has a valid trace")
  func dropped() throws {
    var builder = RecordingBuilder()
    builder.add(.returned(1))
    builder.fulfil(2)
    builder.run(3)
    builder.add(.waits(4, text: "a place"))
    builder.add(.finished(5))
    builder.add(.left(6))
    let trace = try ParsedTrace(Recording(events: builder.events, droppedCount: 20, duration: .microseconds(1)))
    #expect(trace.violations == [])
    #expect(trace.phase("b").map(\.name) == ["promise 2"])
    #expect(trace.phase("b").map(\.time) == [0])
    #expect(trace.phase("M").compactMap { $0.arguments["dropped"] as? Int } == [20])
  }

  @Test("Events that are not in the order of their times have a valid trace")
  func disorder() throws {
    var builder = RecordingBuilder()
    builder.time = 5_000_000
    let promise = builder.make("Deferred")
    builder.time -= 1_000_000
    builder.run(promise)
    builder.fulfil(promise)
    #expect(try ParsedTrace(builder.recording).violations == [])
  }

  @Test("Hostile texts come back unchanged", arguments: hostileTexts)
  func hostile(text: String) throws {
    var builder = RecordingBuilder()
    let promise = builder.make(text, label: text, type: text)
    builder.add(.cancelled(promise, reason: text, upstream: false))
    builder.run(promise, in: text)
    builder.reject(promise, text)
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.violations == [])
    #expect(trace.phase("b").map(\.name) == ["\(text) \(text)"])
    #expect(trace.phase("b").compactMap { $0.argument("label") } == [text])
    #expect(trace.phase("e").compactMap { $0.argument("text") } == [text])
    #expect(trace.phase("n").compactMap { $0.argument("reason") } == [text])
    #expect(trace.tracks(of: "Contexts").keys.sorted() == [text])
    #expect(!builder.recording.trace.contains("<"))
  }

  @Test("A name has at most 120 characters, also that of a settlement", arguments: ["x", "e\u{301}", "👍🏽"])
  func longNames(character: String) throws {
    for length in [100, 112, 113, 115, 116, 117, 500] {
      var builder = RecordingBuilder()
      let promise = builder.make("map", label: String(repeating: character, count: length))
      builder.run(promise)
      builder.fulfil(promise)
      let trace = try ParsedTrace(builder.recording)
      #expect(trace.violations == [])
      for event in trace.events { #expect(event.name.count <= 120) }
      #expect(trace.phase("b").map { $0.name.hasSuffix("…") } == [length > 116])
      #expect(trace.phase("X").map { $0.name.hasSuffix("…") } == [length > 116, length > 116, length > 109])
    }
  }

  @Test("A text of a megabyte is kept as an argument, and a long label is cut in the name", .slow)
  func large() throws {
    let text = String(repeating: "x", count: 1 << 20) + "\"<\u{2028}"
    var builder = RecordingBuilder()
    builder.reject(builder.make("map", label: text), text)
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.phase("b").map(\.name.count) == [120])
    #expect(trace.phase("b").compactMap { $0.argument("label") } == [text])
    #expect(trace.phase("e").compactMap { $0.argument("text") } == [text])
  }
}
