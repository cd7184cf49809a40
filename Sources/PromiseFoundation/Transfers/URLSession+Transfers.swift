import Foundation
import PromiseContexts

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Requests whose answers the library gathers itself. `send` starts one, and differs between the platforms.

extension URLSession {
  /// Sends a request and gathers the answer in memory.
  ///
  /// - Parameters:
  ///   - limit: how many bytes of a body may come.
  ///   - make: makes the outcome from the answer.
  func load<Value>(
    _ request: URLRequest, uploading body: Upload? = nil, atMost limit: Int, settling deferred: Deferred<Value>,
    making make: @escaping @Sendable (Data, URLResponse) throws -> Value
  ) {
    let carried = CarriedRequest(
      into: AnswerBody(), atMost: limit, reportingSent: body != nil, to: deferred.report(_:of:)
    ) { ended in
      deferred.end {
        guard case (.data(let data), let response) = try ended.get() else { throw URLError(.unknown) }
        return try make(data, response)
      }
    }
    send(request, uploading: body, as: carried, settling: deferred)
  }

  /// Sends a request and writes the answer to a new file beside another, which it is to become.
  ///
  /// - Parameters:
  ///   - limit: how many bytes may come.
  ///   - keep: gets the new file, which is removed when this returns.
  /// - Throws: an error of the file system or ``TransferError``, if no file can be made there.
  func download<Value>(
    _ request: URLRequest, to file: URL, atMost limit: Int, settling deferred: Deferred<Value>,
    keeping keep: @escaping @Sendable (URL, URLResponse) throws -> Value
  ) throws {
    let body = try AnswerBody(beside: file)
    let carried = CarriedRequest(into: body, atMost: limit, reportingSent: false, to: deferred.report(_:of:)) { ended in
      deferred.end {
        guard case (.file(let file), let response) = try ended.get() else { throw URLError(.unknown) }
        // Before the promise is settled, if the file was not moved.
        defer { try? FileManager.default.removeItem(at: file) }
        return try keep(file, response)
      }
    }
    send(request, as: carried, settling: deferred)
  }
}
