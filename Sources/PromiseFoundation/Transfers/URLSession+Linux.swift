#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import PromiseContexts

  extension URLSession {
    /// Starts a request through the session's ``SessionProxy``.
    func send<Value>(
      _ request: URLRequest, uploading body: Upload? = nil, as transfer: RequestTransfer,
      settling deferred: Deferred<Value>
    ) {
      var request = request
      if case .data(let data) = body { request.httpBody = data }
      let cancel = SessionProxy.proxy(for: self).send(request, for: self, as: transfer)
      deferred.onCancel { _ in cancel() }
    }
  }
#endif
