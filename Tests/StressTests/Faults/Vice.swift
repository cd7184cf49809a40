import Dispatch
import PromiseContexts
import TestSupport

/// A wrong treatment of jobs by a context.
enum Vice: CaseIterable, Sendable {
  case dropsAtOnce, dropsLater, rejects, rejectsAndRuns, rejectsOnTwoThreads
  case runsInside, runsInsideTwice, runsTwice, runsOnTwoThreads, runsAndRejects, runsElsewhere, runsBackwards,
    keepsCopies

  /// Whether handlers run at all on such a context.
  var runs: Bool {
    switch self {
    case .dropsAtOnce, .dropsLater, .rejects, .rejectsAndRuns, .rejectsOnTwoThreads: false
    default: true
    }
  }

  /// Whether the promise is rejected with the error of the context, and not because its job was dropped.
  var isRejecting: Bool { !runs && self != .dropsAtOnce && self != .dropsLater }
}

/// A context that treats its jobs according to a vice.
final class ViciousContext: ExecutionContext {
  private let vice: Vice
  private let jobs = Locked<[Job]>([])
  private let copies = Locked<[Job]>([])
  private let thread = DispatchQueue(label: "elsewhere")

  init(_ vice: Vice) { self.vice = vice }

  func schedule(_ job: consuming Job) {
    let job = job
    switch vice {
    case .dropsAtOnce: break
    case .runsInside: job.run()
    case .runsInsideTwice: for _ in 0..<2 { job.run() }
    default: jobs.withLock { $0.append(job) }
    }
  }

  /// Treats all jobs until none is left.
  func work() {
    while true {
      var round = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      if round.isEmpty { return }
      if vice == .runsBackwards { round.reverse() }
      while let job = round.popLast() { treat(job) }
    }
  }

  private func treat(_ job: Job) {
    switch vice {
    case .dropsAtOnce, .runsInside, .runsInsideTwice, .dropsLater: break
    case .rejects: job.reject(TestError(9))
    case .rejectsAndRuns:
      job.reject(TestError(9))
      job.run()
    case .rejectsOnTwoThreads: race([{ job.reject(TestError(9)) }, { job.reject(TestError(9)) }])
    case .runsTwice: for _ in 0..<2 { job.run() }
    case .runsOnTwoThreads: race([{ job.run() }, { job.run() }])
    case .runsAndRejects:
      job.run()
      job.reject(TestError(9))
    case .runsElsewhere: thread.sync { job.run() }
    case .runsBackwards: job.run()
    case .keepsCopies:
      job.run()
      copies.withLock { $0.append(job) }
    }
  }
}
