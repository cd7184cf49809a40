// The program of Docs/Examples/ResumableUpload, as it is written with google/promises. Docs/Migrating/WholePrograms.md
// shows it. All state belongs to the main queue, where handlers run unless they name another one.
// modes: swift5
import Foundation
import Promises

struct Chunk { let number: Int }
struct Refused: Error {}
struct Cancelled: Error {}

/// A transfer that can be stopped. The promise cannot.
protocol Transfer {
  var promise: Promise<Void> { get }
  var onProgress: (Double) -> Void { get nonmutating set }
  func stop()
}

protocol UploadService {
  func begin() -> Promise<String>
  func send(_ upload: String, _ chunk: Chunk) -> Transfer
  func complete(_ upload: String) -> Promise<String>
}

protocol Journal {
  var name: String? { get }
  func contains(_ chunk: Chunk) -> Bool
  func begin(_ name: String) throws
  func add(_ chunk: Chunk) throws
  func remove() throws
}

final class Upload {
  private let chunks: [Chunk]
  private let service: UploadService
  private let journal: Journal
  private let onProgress: (Double) -> Void
  private let result = Promise<String>.pending()
  private var name = ""
  private var waiting: [(chunk: Chunk, attempt: Int)] = []
  private var transfers: [Int: Transfer] = [:]
  private var shares: [Int: Double] = [:]
  private var left = 0
  private var isPaused = false
  private var isEnded = false

  init(_ chunks: [Chunk], to service: UploadService, journal: Journal, onProgress: @escaping (Double) -> Void) {
    self.chunks = chunks
    self.service = service
    self.journal = journal
    self.onProgress = onProgress
  }

  func run() -> Promise<String> {
    let name = journal.name.map { Promise($0) } ?? service.begin().then { try self.journal.begin($0) }
    name.then { name in
      self.name = name
      for chunk in self.chunks {
        if self.journal.contains(chunk) {
          self.shares[chunk.number] = 1
        } else {
          self.waiting.append((chunk, 1))
        }
      }
      self.left = self.waiting.count
      self.sendMore()
    }.catch(fail)
    return result
  }

  func pause() { isPaused = true }

  func resume() {
    isPaused = false
    sendMore()
  }

  func cancel() { fail(Cancelled()) }

  private func sendMore() {
    if isEnded { return }
    if left == 0 { return complete() }
    while !isPaused, transfers.count < 3, !waiting.isEmpty {
      let next = waiting.removeFirst()
      send(next.chunk, attempt: next.attempt)
    }
  }

  private func send(_ chunk: Chunk, attempt: Int) {
    let transfer = service.send(name, chunk)
    transfers[chunk.number] = transfer
    transfer.onProgress = { share in
      self.shares[chunk.number] = max(share, self.shares[chunk.number] ?? 0)
      self.showProgress()
    }
    transfer.promise.timeout(30).then { _ in
      try self.journal.add(chunk)
      self.shares[chunk.number] = 1
      self.left -= 1
      self.showProgress()
    }.catch { error in
      transfer.stop()  // it goes on after a timeout
      if error is Refused || attempt == 5 { return self.fail(error) }
      let pause = 0.5 * pow(2, Double(attempt - 1)) * Double.random(in: 0...1)
      Promise(()).delay(pause).then { _ in
        self.waiting.append((chunk, attempt + 1))
        self.sendMore()
      }
    }.always {
      self.transfers[chunk.number] = nil
      self.sendMore()
    }
  }

  private func complete() {
    isEnded = true
    service.complete(name).then { address in
      try self.journal.remove()
      self.result.fulfill(address)
    }.catch(result.reject)
  }

  private func fail(_ error: Error) {
    if isEnded { return }
    isEnded = true
    for transfer in transfers.values { transfer.stop() }
    result.reject(error)
  }

  private func showProgress() {
    if !isEnded { onProgress(shares.values.reduce(0, +) / Double(chunks.count)) }
  }
}
