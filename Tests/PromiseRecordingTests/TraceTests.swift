import PromiseRecording
import Testing

@Suite("Traces") struct TraceTests {
  /// A load on thread 1, a `map` of the load on thread 2, and a promise that stays pending.
  private var story: Story {
    var story = Story()
    let load = story.make("Deferred", label: "load user", at: CreationSite(fileID: "App/Load.swift", line: 7))
    let map = story.make("map", load)
    story.fulfil(load, "Ada")
    story.run(map, thread: 2)
    story.reject(map, "no name")
    story.make("delay")
    return story
  }

  @Test("A trace has the required fields, a track for each thread and context, a flow, slices and arguments")
  func fields() throws {
    var story = story
    story.add(.cancelled(3, reason: "left the screen", upstream: true))
    let trace = try ParsedTrace(story.recording)
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
    var story = Story()
    story.time = 1_000_000_007
    let promise = story.make("Deferred")
    story.time += 1
    story.run(promise)
    let trace = try ParsedTrace(story.recording)
    #expect(trace.phase("b").map(\.time) == [1_000_000.007])
    #expect(trace.phase("X").map(\.time) == [1_000_002.008, 1_000_002.008])
    #expect(trace.phase("X").map(\.duration) == [1, 1])
  }

  @Test("A handler with several sources is caused by the source that is settled last")
  func lastCause() throws {
    var story = Story()
    let one = story.make("Deferred")
    let two = story.make("Deferred")
    let both = story.make("zip", one, two)
    story.fulfil(two)
    story.fulfil(one)
    story.run(both)
    let trace = try ParsedTrace(story.recording)
    let settlement = trace.phase("X").first { $0.arguments["promise"] as? Int == one }
    #expect(trace.phase("s").map(\.time) == [settlement?.time])
  }

  @Test("A handler waits from the end of its source, or from its own beginning if the source was settled before")
  func waiting() throws {
    var story = Story()
    let source = story.make("Deferred")
    let early = story.make("map", source, context: "pool")
    story.time = 10_000
    story.fulfil(source)
    story.time = 14_000
    story.run(early)
    story.time = 20_000
    let late = story.make("map", source, context: "pool")
    story.time = 22_000
    story.run(late)
    let runs = try ParsedTrace(story.recording).phase("X").filter { $0.name == "map" }
    let waits = runs.compactMap { $0.arguments["waited (µs)"] as? Double }
    #expect(waits == [5, 5, 3, 3])
  }

  @Test("An observer has slices for its handler and none for being pending")
  func observer() throws {
    var story = Story()
    let observer = story.make("onSuccess", story.make("Deferred"), isObserver: true)
    story.run(observer)
    let trace = try ParsedTrace(story.recording)
    #expect(trace.phase("b").map(\.name) == ["Deferred"])
    #expect(trace.phase("X").map(\.name) == ["onSuccess", "onSuccess"])
  }
}
