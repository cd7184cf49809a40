// The program of Docs/Examples/Installer, as it is written with PromiseKit. Docs/Migrating/WholePrograms.md shows it.
// All state belongs to the main queue, where handlers run unless they name another one.
// modes: swift5
import PromiseKit

struct WrongChecksum: Error {}

/// Something that runs and can be stopped, such as a program or a download. The promise cannot.
protocol Work {
  var promise: Promise<Void> { get }
  func stop()
}

struct Step {
  let name: String
  let perform: () -> Work
  let undo: () -> Promise<Void>
}

final class Installer {
  private let reportStuckStep: (Step, Error) -> Void
  private var finished: [Step] = []
  private var running: [Int: Work] = [:]
  private var begun = 0
  private var isCancelled = false

  init(reportStuckStep: @escaping (Step, Error) -> Void) { self.reportStuckStep = reportStuckStep }

  /// Performs phases one after the other. The steps of a phase run beside each other.
  func install(_ phases: [[Step]]) -> Promise<Void> {
    var chain = Promise()
    for phase in phases {
      chain = chain.then { () -> Promise<Void> in
        if self.isCancelled { throw PMKError.cancelled }
        // `when(fulfilled:)` would be rejected while other steps still run, and might end after the undo.
        return when(resolved: phase.map(self.perform)).done { outcomes in
          for case .rejected(let error) in outcomes { throw error }
        }
      }
    }
    return chain.recover(policy: .allErrors) { error in
      self.undo().done { throw self.isCancelled ? PMKError.cancelled : error }
    }
  }

  func cancel() {
    isCancelled = true
    stopAll()
  }

  private func perform(_ step: Step) -> Promise<Void> {
    let work = step.perform()
    let number = begun
    begun += 1
    running[number] = work
    return work.promise
      .get { self.finished.append(step) }
      .ensure { self.running[number] = nil }
      .tap { if case .rejected = $0 { self.stopAll() } }
  }

  private func stopAll() {
    for work in running.values { work.stop() }
  }

  private func undo() -> Guarantee<Void> {
    finished.reversed().reduce(Guarantee()) { undone, step in
      undone.then { step.undo().recover { self.reportStuckStep(step, $0) } }
    }
  }
}

protocol System {
  func fetch(_ address: String, _ path: String) -> Promise<Void>
  func checksum(_ path: String) -> Promise<String>
}

func download(_ address: String, checksum: String, to path: String, with system: System) -> Promise<Void> {
  attempt(maximumRetryCount: 3) {
    system.fetch(address, path)
      .then { system.checksum(path) }
      .done { if $0 != checksum { throw WrongChecksum() } }
  }
}

/// The function of PromiseKit's own guides.
func attempt<T>(maximumRetryCount: Int, _ body: @escaping () -> Promise<T>) -> Promise<T> {
  var attempts = 0
  func attempt() -> Promise<T> {
    attempts += 1
    return body().recover { error -> Promise<T> in
      guard attempts < maximumRetryCount else { throw error }
      return after(.seconds(1)).then(attempt)
    }
  }
  return attempt()
}
