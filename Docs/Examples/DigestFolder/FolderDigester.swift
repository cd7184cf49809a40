import Dispatch
import PromiseContexts

/// Digests what a walk finds, several files at a time.
///
/// The work is done in *lanes*. Each takes a file from the walk, digests it, adds it to its own summary, and begins again.
/// So there are never more open files than lanes, and nothing is stored but a summary per lane, however large the folder.
struct FolderDigester: Sendable {
  private let walk: FolderWalk
  /// Where files are read: handlers may run at the same time here, since each has a file of its own.
  private let disk: ConcurrentContext = .concurrent(DispatchQueue(label: "disk", attributes: .concurrent))

  init(_ walk: FolderWalk) { self.walk = walk }

  /// The summary of everything that the walk finds.
  func summary(lanes: Int) -> Promise<Summary> {
    let lanes = (0..<lanes).map { _ in lane(after: Summary()) }
    // All lanes run by now. To wait for them one after another takes as long as the longest of them.
    return lanes.reduce(.fulfilled(Summary())) { sum, lane in
      sum.then { sum in lane.map { sum + $0 } }
    }
  }

  /// A loop without a loop: a `then` that returns the rest of the work. It may go on for ever in the same memory.
  private func lane(after summary: Summary) -> Promise<Summary> {
    nextPath().then { path in
      guard let path else { return .fulfilled(summary) }
      return report(of: path).then { lane(after: summary + $0) }
    }
  }

  /// The walk is an actor: lanes get their paths one after another, without a lock.
  private func nextPath() -> Promise<String?> {
    Promise.fulfilled(()).map(isolatedTo: walk) { walk, _ in walk.next() }
  }

  /// A file that cannot be read is a report too, and does not stop the others.
  private func report(of path: String) -> Promise<FileReport> {
    let file = walk.url(of: path)
    return Promise.run(on: disk) { try FileReport(path: path, contentsOf: file) }
      .recover { error in FileReport(path: path, unreadable: error) }
  }
}
