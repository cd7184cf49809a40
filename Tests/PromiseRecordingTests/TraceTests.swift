import PromiseRecording
import Testing

@Suite("Traces") struct TraceTests {
  /// A load on thread 1, a `map` of the load on thread 2, and a promise that stays pending.
  private var builder: RecordingBuilder {
    var builder = RecordingBuilder()
    let load = builder.make("Deferred", label: "load user", at: CreationSite(fileID: "App/Load.swift", line: 7))
    let map = builder.make("map", load)
    builder.fulfil(load, "Ada")
    builder.run(map, thread: 2)
    builder.reject(map, "no name")
    builder.make("delay")
    return builder
  }

  @Test("A trace has the required fields, a track for each thread and context, a flow, slices and arguments")
  func fields() throws {
    var builder = builder
    builder.add(.cancelled(3, reason: "left the screen", upstream: true))
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.violations == [])
    #expect(Set(trace.events.map(\.phase)) == ["M", "X", "b", "e", "n", "s", "f"])
    let threads = trace.tracks(of: "Threads")
    #expect(threads.keys.sorted() == ["Thread 1", "Thread 2"])
    #expect(trace.slices(of: threads["Thread 2"]) == ["map"])
    #expect(trace.slices(of: trace.tracks(of: "Contexts")["pool"]) == ["map"])
    // The flow leads from the settlement to the handler that it caused.
    let starts = trace.phase("s")
    let ends = trace.phase("f")
    #expect(starts.map(\.time) == [3])
    #expect(ends.map(\.time) == [5])
    #expect(starts.map(\.track) == [threads["Thread 1"]])
    #expect(ends.map(\.track) == [threads["Thread 2"]])
    // An asynchronous slice lasts while its promise is pending.
    let begins = trace.phase("b")
    let settlements = trace.phase("e")
    #expect(begins.map(\.name) == ["Deferred load user", "map", "delay"])
    #expect(begins.map(\.time) == [0, 2, 8])
    #expect(settlements.map(\.time) == [3, 7, 20])
    #expect(settlements.map { $0.argument("outcome") } == ["fulfilled", "rejected", "pending"])
    #expect(begins.first?.argument("label") == "load user")
    #expect(begins.first?.argument("site") == "App/Load.swift:7")
    #expect(settlements.map { $0.argument("text") } == ["Ada", "no name", nil])
    #expect(trace.phase("n").map(\.name) == ["labeled", "cancelled"])
    #expect(trace.phase("n").map { $0.argument("reason") } == [nil, "left the screen"])
  }

  @Test("The trace of an empty recording is valid")
  func empty() throws { #expect(try ParsedTrace(Recording(events: [], duration: .zero)).violations == []) }

  @Test("Times are in microseconds and keep the precision of nanoseconds")
  func times() throws {
    var builder = RecordingBuilder()
    builder.time = 1_000_000_007
    let promise = builder.make("Deferred")
    builder.time += 1
    builder.run(promise)
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.phase("b").map(\.time) == [1_000_000.007])
    #expect(trace.phase("X").map(\.time) == [1_000_002.008, 1_000_002.008])
    #expect(trace.phase("X").map(\.duration) == [1, 1])
  }

  @Test("A handler with several sources is caused by the source that is settled last")
  func lastCause() throws {
    var builder = RecordingBuilder()
    let one = builder.make("Deferred")
    let two = builder.make("Deferred")
    let both = builder.make("zip", one, two)
    builder.fulfil(two)
    builder.fulfil(one)
    builder.run(both)
    let trace = try ParsedTrace(builder.recording)
    let settlement = trace.phase("X").first { $0.arguments["promise"] as? Int == one }
    #expect(trace.phase("s").map(\.time) == [settlement?.time])
  }

  @Test("A handler waits from the end of its source, or from its own beginning if the source was settled before")
  func waiting() throws {
    var builder = RecordingBuilder()
    let source = builder.make("Deferred")
    let early = builder.make("map", source, context: "pool")
    builder.time = 10_000
    builder.fulfil(source)
    builder.time = 14_000
    builder.run(early)
    builder.time = 20_000
    let late = builder.make("map", source, context: "pool")
    builder.time = 22_000
    builder.run(late)
    let runs = try ParsedTrace(builder.recording).phase("X").filter { $0.name == "map" }
    let waits = runs.compactMap { $0.arguments["waited (µs)"] as? Double }
    #expect(waits == [5, 5, 3, 3])
  }

  @Test("An observer has slices for its handler and none for being pending")
  func observer() throws {
    var builder = RecordingBuilder()
    let observer = builder.make("onSuccess", builder.make("Deferred"), isObserver: true)
    builder.run(observer)
    let trace = try ParsedTrace(builder.recording)
    #expect(trace.phase("b").map(\.name) == ["Deferred"])
    #expect(trace.phase("X").map(\.name) == ["onSuccess", "onSuccess"])
  }
}
