import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Returns this request without the headers that carry credentials, if its origin differs from that of a URL that was
  /// redirected to it.
  ///
  /// Two URLs have the same origin if scheme, host and port are equal. So `http` and `https` of one host are two
  /// origins, as in curl (since 7.83) and in the Fetch standard.
  func withholdingCredentials(redirectedFrom source: URL?) -> URLRequest {
    guard source?.origin != url?.origin else { return self }
    var request = self
    request.removeHeaders { $0.isNameOfCredential }
    return request
  }

  /// Removes all headers whose names satisfy a condition. The closure receives each name in lower case.
  mutating func removeHeaders(where isRemoved: (String) -> Bool) {
    // Removed one by one, because setting `allHTTPHeaderFields` need not remove missing headers.
    for name in (allHTTPHeaderFields ?? [:]).keys where isRemoved(name.lowercased()) {
      setValue(nil, forHTTPHeaderField: name)
    }
  }
}

extension String {
  /// Whether a header with this name, in lower case, carries a credential.
  var isNameOfCredential: Bool { ["authorization", "cookie", "proxy-authorization"].contains(self) }
}

extension URL {
  fileprivate var origin: [String] {
    let scheme = scheme?.lowercased() ?? ""
    return [scheme, host?.lowercased() ?? "", "\(port ?? (scheme == "https" ? 443 : 80))"]
  }
}
