#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import PromiseContexts

  extension URLSession {
    /// - Parameters:
    ///   - limit: how many bytes of a body may come.
    ///   - make: makes the outcome of what has come.
    func load<Value>(
      _ request: URLRequest, uploading body: Upload? = nil, atMost limit: Int, settling deferred: Deferred<Value>,
      making make: @escaping @Sendable (Data, URLResponse) throws -> Value
    ) throws {
      var request = request
      if case .data(let data) = body { request.httpBody = data }
      let carried = CarriedRequest(
        into: AnswerBody(), atMost: limit, reportingSent: body != nil, to: deferred.report(_:of:)
      ) { ended in
        deferred.end {
          guard case (.data(let data), let response) = try ended.get() else { throw URLError(.unknown) }
          return try make(data, response)
        }
      }
      send(request, as: carried, settling: deferred)
    }

    /// - Parameters:
    ///   - file: where it is to be: it is written beside it.
    ///   - limit: how many bytes may come.
    ///   - keep: gets what was written, which is there only as long as it runs.
    func download<Value>(
      _ request: URLRequest, to file: URL, atMost limit: Int, settling deferred: Deferred<Value>,
      keeping keep: @escaping @Sendable (URL, URLResponse) throws -> Value
    ) throws {
      let body = try AnswerBody(beside: file)
      let carried = CarriedRequest(into: body, atMost: limit, reportingSent: false, to: deferred.report(_:of:)) {
        ended in
        deferred.end {
          guard case (.file(let file), let response) = try ended.get() else { throw URLError(.unknown) }
          return try keep(file, response)
        }
      }
      send(request, as: carried, settling: deferred)
    }

    private func send<Value>(_ request: URLRequest, as carried: CarriedRequest, settling deferred: Deferred<Value>) {
      let cancel = Carrier.of(self).send(request, for: self, as: carried)
      deferred.onCancel { _ in cancel() }
    }
  }
#endif
