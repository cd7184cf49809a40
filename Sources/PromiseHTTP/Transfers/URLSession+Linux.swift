#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import PromiseContexts

  extension URLSession {
    /// Starts a request through the session's ``SessionProxy``, or through one of its own if the response is streamed.
    func start<Value>(
      _ request: URLRequest, uploading body: Upload?, as transfer: RequestTransfer, settling deferred: Deferred<Value>
    ) {
      var request = request
      var file: Upload?
      switch body {
      case .data(let data): request.httpBody = data
      case .file, .pieces, .chunks:
        request.httpBody = nil
        file = body
      case nil: break
      }
      let proxy =
        transfer.stream.map { SessionProxy(for: self, endingWithRequest: true, streaming: $0) }
        ?? SessionProxy.proxy(for: self)
      let cancel = proxy.send(request, uploading: file, for: self, as: transfer)
      transfer.isAwaited(by: deferred) { cancel() }
    }
  }
#endif
