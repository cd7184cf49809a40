import PromiseCombinators
import PromiseGates

/// Uploads a file in pieces, several at a time, and resumes after an interruption.
///
/// - A piece whose transfer is interrupted or takes too long is sent again, after pauses that grow.
/// - `pause()` lets no further piece begin. The pieces that are being sent are sent to their end.
/// - To stop, cancel the promise of `run()` with `upstream: true`. The journal knows what was sent, so another `run()`
///   goes on from there, even in another process.
final class Upload: Sendable {
  private let chunks: [Chunk]
  private let service: UploadService
  private let journal: Journal
  private let rules: Rules
  private let limit: ConcurrencyLimit

  struct Rules: Sendable {
    /// How many pieces are sent at the same time.
    var chunksAtOnce = 3
    /// How long an attempt to send a piece may take. Time in a queue does not count.
    var timeLimit = Duration.seconds(30)
    /// The number of attempts for a piece in all, and the pauses between them.
    var attempts = 5
    var backoff = Backoff.exponential(first: .milliseconds(500)).jittered()
  }

  init(_ chunks: [Chunk], to service: UploadService, journal: Journal, rules: Rules = Rules()) {
    self.chunks = chunks
    self.service = service
    self.journal = journal
    self.rules = rules
    limit = ConcurrencyLimit(rules.chunksAtOnce, label: "chunks")
  }

  /// Sends what the journal does not contain, and returns a promise for the address of the file. Its progress counts
  /// all pieces, even those of earlier runs.
  func run() -> Promise<String> {
    name().then(weight: 99) { [self] name in
      Promise.all(chunks.map { send($0, to: name) }, onRejection: .cancelRemaining)
        .then(weight: 0) { [service] _ in service.complete(name) }
    }
    .recordingSuccess { [journal] _ in try journal.remove() }
    .labeled("upload")
  }

  func pause() { limit.isPaused = true }
  func resume() { limit.isPaused = false }

  /// Fulfilled when no piece is being sent, such as some time after a `pause()`.
  func whenQuiet() -> Promise<Void> { limit.whenEmpty() }

  private func name() -> Promise<String> {
    if let name = journal.name { return .fulfilled(name) }
    return service.begin().recordingSuccess { [journal] name in try journal.begin(name) }
  }

  /// Each attempt waits for its own turn, so a pause between two attempts keeps no other piece waiting.
  private func send(_ chunk: Chunk, to name: String) -> Promise<Void> {
    if journal.contains(chunk) { return .fulfilled() }
    return Promise.retry(attempts: rules.attempts, backoff: rules.backoff, while: Self.mayPass) { [self] in
      limit.run { [self] in
        service.send(name, chunk)
          .recordingSuccess { [journal] in try journal.add(chunk) }
          .timeout(rules.timeLimit)
      }
    }
    .labeled("chunk \(chunk.number)")
  }

  /// A journal that cannot be written ends the upload. Otherwise a piece that has arrived would be sent again.
  private static func mayPass(attempt: Int, error: any Error) -> Bool {
    if case PromiseError.timedOut = error { true } else { error is Interrupted }
  }
}

extension Promise {
  /// Calls a function after a success, even if a client has given up meanwhile. A `tap` would not run then.
  fileprivate func recordingSuccess(
    fileID: StaticString = #fileID, line: UInt = #line, _ record: @escaping @Sendable (Value) throws -> Void
  ) -> Promise<Value> {
    alwaysThen(fileID: fileID, line: line) { outcome in
      if case .success(let value) = outcome { try record(value) }
      return .fulfilled()
    }
  }
}
