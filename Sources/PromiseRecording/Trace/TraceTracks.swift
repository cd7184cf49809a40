/// The tracks of a trace and their numbers.
///
/// The format knows processes with threads. A thread is a track here, and a process is a group of tracks.
struct TraceTracks {
  /// The numbers of a track.
  struct Place {
    var process: Int
    var thread: Int
  }

  /// The name of a track or of a group. The kind is the name of the event that sets it.
  struct Description {
    var kind: String
    var name: String
    var place: Place
  }

  /// The descriptions of all groups and tracks.
  private(set) var all: [Description] = []
  /// The track of the promises' asynchronous slices.
  let promises: Place
  /// The track of the causes of waits.
  let causes: Place
  private var threads: [Int: Place] = [:]
  private var contexts: [String: [Place]] = [:]

  init(_ contents: TraceContents) {
    let names = ["Causes", "Threads", "Contexts", "Promises"]
    let groups = names.enumerated().map { (Place(process: $0 + 1, thread: 0), $1) }
    all = groups.map { Description(kind: "process_name", name: $1, place: $0) }
    // A number is not used twice, even in different processes. A viewer takes the thread that has the number of its
    // process for the main thread.
    var count = groups.count
    func next(in process: Int) -> Place {
      count += 1
      return Place(process: process, thread: count)
    }

    for thread in contents.threads.sorted() {
      threads[thread] = next(in: 2)
    }
    for (context, lanes) in contents.runs.laneCounts.sorted(by: { $0.key < $1.key }) {
      contexts[context] = (0..<lanes).map { _ in next(in: 3) }
    }
    promises = next(in: 4)
    causes = next(in: 1)

    all += contents.threads.sorted().map {
      Description(kind: "thread_name", name: "Thread \($0)", place: place(ofThread: $0))
    }
    for (context, places) in contexts.sorted(by: { $0.key < $1.key }) {
      for (lane, place) in places.enumerated() {
        let name = lane == 0 ? context : "\(context) (\(lane + 1))"
        all.append(Description(kind: "thread_name", name: name, place: place))
      }
    }
    all.append(Description(kind: "thread_name", name: "Pending promises", place: promises))
    all.append(Description(kind: "thread_name", name: "What pending promises wait for", place: causes))
  }

  /// The track of a thread.
  func place(ofThread thread: Int) -> Place { threads[thread] ?? promises }

  /// The track of a lane of a context.
  func place(ofContext context: String, lane: Int) -> Place { contexts[context]?[lane] ?? promises }
}
