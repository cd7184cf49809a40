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
      var (request, file): (URLRequest, Upload?) = (request, nil)
      switch body {
      case .data(let data): request.httpBody = data
      case .file: (request.httpBody, file) = (nil, body)
      case nil: break
      }
      let cancel = SessionProxy.proxy(for: self).send(request, uploading: file, for: self, as: transfer)
      deferred.onCancel { _ in cancel() }
    }
  }
#endif
