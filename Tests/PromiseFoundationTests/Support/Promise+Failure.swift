import Foundation
import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Promise {
  /// What it is rejected with; `nil`: it is fulfilled.
  var failure: (any Error)? {
    get async {
      do {
        _ = try await value
        return nil
      } catch {
        return error
      }
    }
  }
}

extension URLResponse {
  /// The status; 0, if it is no answer of HTTP.
  var status: Int { (self as? HTTPURLResponse)?.statusCode ?? 0 }

  subscript(header: String) -> String? { (self as? HTTPURLResponse)?.value(forHTTPHeaderField: header) }
}
