import PromiseCore
import PromiseRecording

/// Writes the recording of a made-up program that shows screens of users. Each screen loads, decodes and combines
/// pictures.
///
/// The same number of screens always makes the same recording.
struct Sample {
  private var events: [(order: Int, event: Recording.Event)] = []
  private var count = 0
  /// The times at which the threads ended their last handlers, in nanoseconds.
  private var free: [Int: Int] = [:]
  private var random: UInt64 = 42
  private var user = 0

  /// Returns a recording with the given number of events.
  static func recording(eventCount: Int) -> Recording {
    var sample = Sample()
    while sample.events.count < eventCount + 200 { sample.showScreen() }
    let sorted = sample.events.sorted { ($0.event.time, $0.order) < ($1.event.time, $1.order) }
    let events = sorted.prefix(eventCount).map(\.event)
    return Recording(events: events, duration: (events.last?.time ?? .zero) + .microseconds(200))
  }

  /// A recording of ten events, in which a rejection passes through a chain and another promise waits for a place in a
  /// gate.
  static var ten: Recording {
    var story = Story()
    let load = story.make("Deferred", label: "load user", type: "Promise<Data>", at: site("App/Load.swift", 12))
    let user = story.make("map", load, type: "Promise<User>", at: site("App/Load.swift", 14))
    let show = story.make("then", user, label: "show profile", at: site("App/Profile.swift", 40))
    let upload = story.make("gate", type: "Promise<Void>", at: site("App/Upload.swift", 7))
    story.add(.waits(upload, text: "a place in the gate “uploads” (2 of 2 taken)"))
    story.thread = 2
    for promise in [load, user, show] { story.reject(promise, "URLError: the host example.com cannot be reached") }
    return story.recording
  }

  private mutating func showScreen() {
    user += 1
    let start = user * 400_000 + number(below: 300_000)
    let load = make("Deferred", "load user \(user)", "Promise<Data>", [], 8, start, Self.site("App/Load.swift", 12))
    add(start + 2000, 1, .waits(load, text: "the response of GET /users/\(user)"))
    let decode = make("map", nil, "Promise<User>", [load], 8, start + 3000, Self.site("App/Load.swift", 14))
    let site = Self.site("App/Profile.swift", 40)
    let show = make("then", "show user \(user)", "Promise<Page>", [decode], 8, start + 4000, site)
    let observer = make("onSuccess", nil, "", [show], 8, start + 5000, Self.site("App/Profile.swift", 52), true)
    let answer = start + 500_000 + number(below: 2_000_000)
    switch number(below: 20) {
    case 0:
      let error = "HTTPError(status: 503, body: \"Service unavailable\")"
      for (step, promise) in [load, decode, show].enumerated() {
        settle(promise, .rejected, error, answer + step * 700)
      }
      let recover = make("recover", nil, "Promise<Page>", [show], 8, start + 6000, Self.site("App/Profile.swift", 48))
      let end = run(recover, "main", [1], answer + 3000, 30_000)
      settle(recover, .fulfilled, "Page(placeholder)", end)
    case 1:
      add(answer, 1, .cancelled(show, reason: "the reader left the screen", upstream: true))
      for (step, promise) in [show, decode, load].enumerated() {
        settle(promise, .cancelled, nil, answer + 500 + step * 500)
      }
    default:
      settle(load, .fulfilled, "\(1000 + number(below: 9000)) bytes", answer)
      let decoded = run(decode, "pool", [3, 4, 5], answer + 2000, 60_000 + number(below: 200_000))
      settle(decode, .fulfilled, "User(name: \"Ada \(user)\")", decoded)
      showPictures(show, observer, decoded + 3000)
    }
  }

  /// Runs the handler of a screen, which loads three pictures and returns a promise for all of them.
  private mutating func showPictures(_ show: Recording.ID, _ observer: Recording.ID, _ time: Int) {
    let end = run(show, "main", [1], time, 40_000)
    let pictures = (1...3).map { picture in
      make(
        "gate", "picture \(picture) of user \(user)", "Promise<Image>", [], 1, end - 30_000 + picture * 4000,
        Self.site("App/Pictures.swift", 20))
    }
    let all = make("all", nil, "Promise<[Image]>", pictures, 1, end - 10_000, Self.site("App/Pictures.swift", 31))
    add(end + 500, 1, .adopted(show, adopted: all))
    for picture in pictures {
      add(end - 9000, 1, .waits(picture, text: "a place in the gate “pictures” (4 of 4 taken)"))
    }
    var last = end
    for picture in pictures {
      // Occasionally a server does not answer.
      guard number(below: 60) > 0 else { return }
      let done = run(picture, "pictures", [6, 7], end + 50_000 + number(below: 600_000), 90_000)
      settle(picture, .fulfilled, "640 × 480 points", done)
      last = max(last, done)
    }
    settle(all, .fulfilled, "3 elements", last + 1000)
    settle(show, .fulfilled, "Page(user: \(user))", last + 2000)
    _ = run(observer, "main", [1], last + 4000, 25_000)
  }

  private mutating func make(
    _ operation: String, _ label: String?, _ type: String, _ sources: [Recording.ID], _ thread: Int, _ time: Int,
    _ site: CreationSite, _ isObserver: Bool = false
  ) -> Recording.ID {
    count += 1
    let maker = Recording.Maker(
      id: count, operation: operation, type: type, createdAt: site, sources: sources,
      context: sources.count == 1 ? "pool" : "", isObserver: isObserver)
    add(time, thread, .made(maker))
    if let label { add(time + 100, thread, .labelled(count, label)) }
    return count
  }

  /// Runs a handler on the first free thread, and returns the time at which it has ended.
  private mutating func run(
    _ id: Recording.ID, _ context: String, _ threads: [Int], _ time: Int, _ length: Int
  ) -> Int {
    let thread = threads.min { (free[$0] ?? 0, $0) < (free[$1] ?? 0, $1) } ?? 1
    let begin = max(time + 1000, free[thread] ?? 0)
    add(begin, thread, .began(id, context: context))
    add(begin + length, thread, .returned(id))
    free[thread] = begin + length + 1500
    return begin + length
  }

  private mutating func settle(_ id: Recording.ID, _ outcome: Recording.Outcome, _ text: String?, _ time: Int) {
    add(time + 200, 2, .settled(id, outcome, text: text))
  }

  private mutating func add(_ time: Int, _ thread: Int, _ kind: Recording.Kind) {
    events.append((events.count, Recording.Event(time: .nanoseconds(time), thread: thread, kind: kind)))
  }

  private mutating func number(below limit: Int) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((random >> 33) % UInt64(limit))
  }

  private static func site(_ file: StaticString, _ line: UInt) -> CreationSite {
    CreationSite(fileID: file, line: line)
  }
}
