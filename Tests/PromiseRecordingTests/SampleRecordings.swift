import PromiseRecording

/// Recordings of made-up programs.
enum SampleRecordings {
  /// Returns a recording with the given number of events, of a program that shows one screen after another. The same
  /// number of events always makes the same recording.
  static func recording(eventCount: Int) -> Recording {
    var builder = RecordingBuilder()
    var user = 0
    while builder.events.count < eventCount {
      user += 1
      builder.showScreen(of: user)
    }
    return Recording(events: Array(builder.events.prefix(eventCount)), duration: builder.recording.duration)
  }

  /// A recording of ten events, in which a rejection passes through a chain and another promise waits for a place in a
  /// gate.
  static var ten: Recording {
    var builder = RecordingBuilder()
    let load = builder.make("Deferred", label: "load user", type: "Promise<Data>", at: site("App/Load.swift", 12))
    let user = builder.make("map", load, type: "Promise<User>", at: site("App/Load.swift", 14))
    let show = builder.make("then", user, label: "show profile", at: site("App/Profile.swift", 40))
    let upload = builder.make("gate", type: "Promise<Void>", at: site("App/Upload.swift", 7))
    builder.add(.waits(upload, text: "a place in the gate “uploads” (2 of 2 taken)"))
    builder.thread = 2
    for promise in [load, user, show] { builder.reject(promise, "URLError: the host example.com cannot be reached") }
    return builder.recording
  }

  private static func site(_ file: StaticString, _ line: UInt) -> CreationSite {
    CreationSite(fileID: file, line: line)
  }
}

extension RecordingBuilder {
  /// Loads and decodes a user, and then shows three pictures.
  fileprivate mutating func showScreen(of user: Int) {
    let load = make("Deferred", label: "load user \(user)", type: "Promise<Data>")
    add(.waits(load, text: "the response of GET /users/\(user)"))
    let decode = make("map", load, type: "Promise<User>", context: "pool")
    let show = make("then", decode, label: "show user \(user)", type: "Promise<Page>", context: "main")
    let observer = make("onSuccess", show, type: "", context: "main", isObserver: true)
    fulfil(load, "\(1_000 + user) bytes")
    run(decode, thread: 3 + user % 3)
    fulfil(decode, "User(name: \"Ada \(user)\")")
    run(show, in: "main")
    let pictures = (1...3).map { make("gate", label: "picture \($0) of user \(user)", type: "Promise<Image>") }
    let all = make("all", of: pictures, type: "Promise<[Image]>")
    add(.adopted(show, adopted: all))
    for picture in pictures { add(.waits(picture, text: "a place in the gate “pictures” (4 of 4 taken)")) }
    // Occasionally a server does not answer.
    if user.isMultiple(of: 20) { return }
    for picture in pictures {
      run(picture, in: "pictures", thread: 6 + picture % 2)
      fulfil(picture, "640 × 480 points")
    }
    fulfil(all, "3 elements")
    fulfil(show, "Page(user: \(user))")
    run(observer, in: "main")
  }
}
