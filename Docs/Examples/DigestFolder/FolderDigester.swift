import Dispatch
import PromiseContexts

/// Computes the digests of the files that a walk finds, several files at a time.
///
/// Several *lanes* do the work. Each lane takes a file from the walk, computes its digest, adds its report to the
/// tally, and begins again. So there are never more open files than lanes, and the tally does not keep the report of
/// every file.
struct FolderDigester: Sendable {
  private let walk: FolderWalk
  private let tally = Tally()
  /// The context on which files are read. Its handlers may run at the same time, because they share no state.
  private let disk: ConcurrentContext = .concurrent(DispatchQueue(label: "disk", attributes: .concurrent))

  init(_ walk: FolderWalk) { self.walk = walk }

  /// Returns a promise for the summary of all files that the walk finds. Its progress is the share of the bytes that
  /// are done. Cancelling it stops the lanes.
  func summary(lanes: Int) -> Promise<Summary> {
    let result = Deferred<Summary>()
    let running = (0..<lanes).map { _ in lane { result.report(progress: $0) } }
    // All lanes run already, so waiting for one after another takes no longer than waiting for the slowest.
    let all = running.reduce(countBytes()) { sum, lane in sum.then { lane } }.then { summarySoFar() }
    // `follow` would also show the progress of `all`, which counts steps and not bytes.
    all.onSettled { result.settle($0) }
    // `all` waits for at most one lane at a time. A cancellation must stop all lanes, and the files that they read.
    result.onCancel { _ in
      all.cancel(upstream: true)
      for lane in running { lane.cancel(upstream: true) }
    }
    return result.promise
  }

  /// Returns a promise for the summary of the files that are done so far.
  func summarySoFar() -> Promise<Summary> {
    Promise.fulfilled(()).map(isolatedTo: tally) { tally, _ in tally.summary }
  }

  /// Counts the bytes while the lanes run. The progress is 0 until the count is known.
  private func countBytes() -> Promise<Void> {
    Promise.run(on: disk) { [walk] in walk.countBytes() }
      .map(isolatedTo: tally) { tally, bytes in tally.expect(bytes: bytes) }
  }

  /// Runs one lane until the walk has no more files. The last `then` returns the promise for the remaining files, so
  /// this is a loop. Its memory does not grow with the number of files.
  private func lane(reporting report: @escaping @Sendable (Double) -> Void) -> Promise<Void> {
    nextPath().then { path in
      guard let path else { return .fulfilled(()) }
      return digest(path)
        .map(isolatedTo: tally) { tally, file in tally.add(file) }
        .tap { report($0) }
        .then { _ in lane(reporting: report) }
    }
  }

  /// Returns a promise for the next path, or for `nil` after the last one. The walk is an actor, so lanes need no lock.
  private func nextPath() -> Promise<String?> {
    Promise.fulfilled(()).map(isolatedTo: walk) { walk, _ in walk.next() }
  }

  /// Returns a promise for the report of a file. If the file cannot be read, the report has the reason, and the lane
  /// goes on.
  private func digest(_ path: String) -> Promise<FileReport> {
    let file = walk.url(of: path)
    return Promise<FileReport>(on: disk) { deferred in
      // After a cancellation, the reading stops before the next piece of the file.
      let report = try FileReport(path: path, contentsOf: file) { deferred.promise.isPending }
      deferred.fulfill(report)
    }
    .recover { error in FileReport(path: path, unreadable: error) }
  }
}
