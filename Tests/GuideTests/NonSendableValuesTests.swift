import Dispatch
import Foundation
import PromiseContexts
import TestSupport
import Testing

// Contains the dispatch source of Docs/Guides/NonSendableValues.md, word for word. The other snippets are in Tests/TypeCheck.

private struct Guide {
  /// Any thread may cancel the source. Only its own handlers may read its `data`.
  struct ReadSource: @unchecked Sendable {
    let source: any DispatchSourceRead
  }

  func bytesToRead(from descriptor: Int32, on queue: DispatchQueue) -> Promise<Int> {
    let reading = ReadSource(source: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue))
    let bytes = Deferred<Int>()
    reading.source.setEventHandler {
      bytes.fulfill(Int(reading.source.data))
      reading.source.cancel()
    }
    bytes.onCancel { _ in reading.source.cancel() }
    reading.source.activate()
    return bytes.promise
  }
}

@Suite("The guide to values that are not Sendable") struct NonSendableValuesTests {
  @Test("A dispatch source is released after its event, and when its promise is cancelled", .bounded)
  func source() async throws {
    for isCancelled in [false, true] {
      let pipe = Pipe()
      let (bytes, released) = begin(on: pipe)
      if isCancelled {
        bytes.cancel()
      } else {
        try pipe.fileHandleForWriting.write(contentsOf: Data("abc".utf8))
        #expect(try await bytes.value == 3)
      }
      await #expect(throws: PromiseError.self) { try await released.value }
    }
  }

  /// Begins to read. The second promise is broken when the queue, which only the dispatch source retains, is
  /// deallocated.
  private func begin(on pipe: Pipe) -> (bytes: Promise<Int>, released: Promise<Void>) {
    let queue = DispatchQueue(label: "reading")
    let owner = Deferred<Void>()
    queue.setSpecific(key: DispatchSpecificKey<Deferred<Void>>(), value: owner)
    return (Guide().bytesToRead(from: pipe.fileHandleForReading.fileDescriptor, on: queue), owner.promise)
  }
}
