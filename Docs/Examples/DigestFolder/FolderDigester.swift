import Dispatch
import PromiseContexts

/// Digests what a walk finds, several files at a time.
///
/// The work is done in *lanes*. Each takes a file from the walk, digests it, adds it to the tally, and begins again.
/// So there are never more open files than lanes, and nothing is stored but the tally, however large the folder.
struct FolderDigester: Sendable {
  private let walk: FolderWalk
  private let tally = Tally()
  /// Where files are read: handlers may run at the same time here, since each has a file of its own.
  private let disk: ConcurrentContext = .concurrent(DispatchQueue(label: "disk", attributes: .concurrent))

  init(_ walk: FolderWalk) { self.walk = walk }

  /// The summary of everything that the walk finds, with the progress by bytes. To cancel it stops the lanes.
  func summary(lanes: Int) -> Promise<Summary> {
    let result = Deferred<Summary>()
    let running = (0..<lanes).map { _ in lane { result.report(progress: $0) } }
    // Not only what this promise waits for right now, which is one lane, but all of them, down to the files that are being read.
    result.onCancel { _ in for lane in running { lane.cancel(upstream: true) } }
    // All lanes run by now. To wait for them one after another takes as long as the longest of them.
    let all = running.reduce(countBytes()) { sum, lane in sum.then { lane } }
    result.follow(all.then { summarySoFar() })
    return result.promise
  }

  /// What was done until now.
  func summarySoFar() -> Promise<Summary> {
    Promise.fulfilled(()).map(isolatedTo: tally) { tally, _ in tally.summary }
  }

  /// Beside the lanes, which do not wait for it: until it is known how much there is, there is no progress to show.
  private func countBytes() -> Promise<Void> {
    Promise.run(on: disk) { [walk] in walk.countBytes() }
      .map(isolatedTo: tally) { tally, bytes in tally.expect(bytes: bytes) }
  }

  /// A loop without a loop: a `then` that returns the rest of the work. It may go on without end in constant memory.
  private func lane(reporting report: @escaping @Sendable (Double) -> Void) -> Promise<Void> {
    nextPath().then { path in
      guard let path else { return .fulfilled(()) }
      return digest(path)
        .map(isolatedTo: tally) { tally, file in tally.add(file) }
        .tap { report($0) }
        .then { _ in lane(reporting: report) }
    }
  }

  /// The walk is an actor: lanes get their paths one after another, without a lock.
  private func nextPath() -> Promise<String?> {
    Promise.fulfilled(()).map(isolatedTo: walk) { walk, _ in walk.next() }
  }

  /// A file that cannot be read is a report too, and does not stop the others.
  private func digest(_ path: String) -> Promise<FileReport> {
    let file = walk.url(of: path)
    return Promise<FileReport>(on: disk) { deferred in
      // Cancelled, it stops between two pieces of the file.
      let report = try FileReport(path: path, contentsOf: file) { deferred.promise.isPending }
      deferred.fulfill(report)
    }
    .recover { error in FileReport(path: path, unreadable: error) }
  }
}
