import Foundation
import PromiseCombinators
import Synchronization
import TestSupport

@testable import resumable_upload

struct DiskFull: Error {}

/// A server in memory, whose transfers end by themselves or when a test says so, and a journal in memory.
final class UploadServer: Sendable {
  /// A transfer that has begun.
  struct Transfer: Sendable {
    let chunk: Int
    let owner: Deferred<Void>
  }

  /// The calls, in order.
  let calls = Log<String>()
  /// The pieces that have arrived.
  let received = Log<Int>()
  private let transfers = Log<Transfer>()
  private let text = Mutex("")
  private let endsTransfers: Bool
  private let losesJournal = Mutex(false)

  init(endsTransfers: Bool = false) { self.endsTransfers = endsTransfers }

  /// The lines of the journal.
  var lines: [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }

  /// The pieces whose transfer is pending.
  var pending: [Int] { transfers.entries.filter(\.owner.promise.isPending).map(\.chunk) }

  /// Returns the owner of the newest transfer of a piece.
  func transfer(of chunk: Int) -> Deferred<Void> {
    transfers.entries.last { $0.chunk == chunk }?.owner ?? Deferred<Void>()
  }

  /// From now on, the journal cannot be written.
  func loseJournal() { losesJournal.withLock { $0 = true } }

  /// Ends a transfer.
  func receive(_ chunk: Int) {
    if transfer(of: chunk).fulfill() { received.append(chunk) }
  }

  var service: UploadService {
    UploadService(
      begin: { [self] in
        calls.append("begin")
        return .fulfilled("film")
      },
      send: { [self] name, chunk in
        calls.append("\(name) \(chunk.number)")
        let owner = Deferred<Void>()
        transfers.append(Transfer(chunk: chunk.number, owner: owner))
        if endsTransfers { _ = Promise.run { [self] in receive(chunk.number) } }
        return owner.promise
      },
      complete: { [self] name in
        calls.append("complete")
        return .fulfilled("address of \(name)")
      })
  }

  func journal(_ lines: String? = nil) throws -> Journal {
    if let lines { text.withLock { $0 = lines } }
    return try Journal(
      Journal.Storage(
        read: { [self] in text.withLock { $0 } },
        append: { [self] line in
          if losesJournal.withLock({ $0 }) { throw DiskFull() }
          text.withLock { $0 += line }
        },
        replace: { [self] new in text.withLock { $0 = new ?? "" } }))
  }

  /// An upload of pieces, three at a time, with pauses of a second, two seconds, four seconds and so on.
  func upload(of count: Int, lines: String? = nil) throws -> Upload {
    var rules = Upload.Rules()
    rules.backoff = .exponential(first: .seconds(1))
    return Upload(
      Chunk.chunks(of: count * 10, each: 10), to: service, journal: try journal(lines), rules: rules)
  }
}
