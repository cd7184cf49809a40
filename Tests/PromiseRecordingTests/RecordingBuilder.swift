import PromiseRecording

/// Writes recordings by hand. Each call adds an event one step after the previous event.
struct RecordingBuilder {
  private(set) var events: [Recording.Event] = []
  /// The time of the next event in nanoseconds.
  var time = 0
  /// The time between events in nanoseconds.
  var step = 1000
  /// The thread of the next events.
  var thread = 1
  private var count = 0

  /// The recording, which ends ten microseconds after the last event.
  var recording: Recording { Recording(events: events, duration: .nanoseconds(time + 10_000)) }

  mutating func add(_ kind: Recording.Event.Kind) {
    events.append(Recording.Event(time: .nanoseconds(time), thread: thread, kind: kind))
    time += step
  }

  /// Adds a new promise or observer, and returns its number.
  @discardableResult
  mutating func make(
    _ operation: String, _ sources: Recording.ID..., label: String? = nil, type: String = "Promise<Int>",
    context: String = "", isObserver: Bool = false, at site: CreationSite = CreationSite()
  ) -> Recording.ID {
    make(operation, of: sources, label: label, type: type, context: context, isObserver: isObserver, at: site)
  }

  /// Adds a new promise or observer with an array of sources, and returns its number.
  mutating func make(
    _ operation: String, of sources: [Recording.ID], label: String? = nil, type: String = "Promise<Int>",
    context: String = "", isObserver: Bool = false, at site: CreationSite = CreationSite()
  ) -> Recording.ID {
    count += 1
    add(
      .created(
        Recording.Creation(
          id: count, operation: operation, type: type, createdAt: site, sources: sources, context: context,
          isObserver: isObserver)))
    if let label { add(.labeled(count, label)) }
    return count
  }

  /// Adds the run of a handler. The closure adds the events that happen while the handler runs.
  mutating func run(
    _ id: Recording.ID, in context: String = "pool", thread: Int? = nil,
    _ body: (inout RecordingBuilder) -> Void = { _ in }
  ) {
    // The handler waits for its turn.
    time += step
    let before = self.thread
    self.thread = thread ?? before
    add(.began(id, context: context))
    body(&self)
    add(.returned(id))
    self.thread = before
  }

  /// Adds the promise of a place in a gate, and the operation that waits for it. Returns their numbers.
  mutating func use(
    _ gate: Recording.Gate, named name: String, label: String? = nil
  ) -> (place: Recording.ID, operation: Recording.ID) {
    let place = make("promise", type: "Promise<Void>")
    add(.waits(place, text: "a place in the \(name)", gate: gate))
    return (place, make("gate", place, label: label))
  }

  mutating func fulfil(_ id: Recording.ID, _ text: String? = nil) { add(.settled(id, .fulfilled, text: text)) }

  mutating func reject(_ id: Recording.ID, _ text: String? = nil) { add(.settled(id, .rejected, text: text)) }
}

/// Texts that a program may put into labels and errors and that must not be interpreted.
let hostileTexts = [
  "</script><script>document.title = 'broken'</script>", "<img src=x onerror=\"document.title='broken'\">",
  "<!--<script>",
  "quotes \" ' ` and \\ and \\u003c", "controls \u{0}\u{1}\u{8}\t\n\r\u{1B}[31m\u{7F}", "lines \u{2028}\u{2029}\u{85}",
  "direction \u{202E}reversed", "&lt;b&gt; &amp;", "]]>", "👩‍👩‍👧 \u{FFFF} \u{10FFFF} e\u{301}", "",
]
