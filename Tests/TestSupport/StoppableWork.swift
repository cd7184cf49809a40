public import PromiseCore

/// Work that can be stopped. The hook of its deferred notes each reason with which the work was stopped, inside the
/// call that stops it.
public struct StoppableWork: Sendable {
  public let deferred: Deferred<Int>
  private let log = Log<any Error>()

  public init() {
    let log = log
    let deferred = Deferred<Int>()
    deferred.onCancel(on: .atOnce) { log.append($0) }
    self.deferred = deferred
  }

  public var promise: Promise<Int> { deferred.promise }

  /// Whether the promise is cancelled and the hook has run, once.
  public var isStopped: Bool { promise.isCancelled && log.entries.count == 1 }

  /// Whether the promise is pending and the hook has not run.
  public var goesOn: Bool { promise.isPending && log.entries.isEmpty }

  /// The reasons that the hook has received.
  public var reasons: [any Error] { log.entries }

  /// The numbers of the `TestError`s that the hook has received, and -1 for any other error.
  public var reasonNumbers: [Int] { log.entries.map { ($0 as? TestError)?.number ?? -1 } }
}
