#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  extension URLRequest {
    /// Returns the request that follows a redirection (RFC 9110, 15.4).
    ///
    /// - POST becomes GET after 301 and 302, and every method but HEAD becomes GET after 303. A request that becomes
    ///   GET has neither a body nor the headers that describe one. Other requests keep method, body and headers.
    /// - The location is resolved against the URL of this request, and inherits its fragment if it has none.
    /// - Credentials are left out if the origin changes.
    ///
    /// - Parameters:
    ///   - response: the response to this request.
    ///   - target: the URL to which Foundation would redirect. Foundation resolves relative locations wrongly (Swift
    ///     6.3.1), so this is used only if the location of the response is missing or not a URL.
    /// - Throws: `URLError.requestBodyStreamExhausted` if the body has to be sent again and is a stream.
    func redirected(by response: HTTPURLResponse, to target: URL?) throws -> URLRequest {
      var request = self
      let location = response.value(ofHeader: "Location").flatMap { URL(string: $0, relativeTo: url) }
      request.url = (location?.absoluteURL ?? target)?.inheritingFragment(of: url)
      if becomesGet(after: response.statusCode) {
        request.httpMethod = "GET"
        request.httpBody = nil
        request.httpBodyStream = nil
        request.removeHeaders { ["content-", "transfer-encoding", "digest", "expect"].contains(where: $0.hasPrefix) }
      } else if httpBodyStream != nil {
        throw URLError(.requestBodyStreamExhausted, failingAt: request.url)
      }
      return request.withholdingCredentials(redirectedFrom: url)
    }

    private func becomesGet(after status: Int) -> Bool {
      switch status {
      case 301, 302: httpMethod == "POST"
      case 303: httpMethod != "HEAD"
      default: false
      }
    }
  }

  extension URL {
    fileprivate func inheritingFragment(of other: URL?) -> URL {
      guard fragment == nil, let fragment = other?.fragment(percentEncoded: true) else { return self }
      return URL(string: "\(absoluteString)#\(fragment)") ?? self
    }
  }

  extension URLError {
    /// Creates an error for a request that is not sent.
    ///
    /// - Parameters:
    ///   - code: the code of the error.
    ///   - url: the URL of the request.
    ///   - text: a description for users, if that of the code does not suffice.
    init(_ code: Code, failingAt url: URL?, _ text: String? = nil) {
      var info: [String: Any] = [:]
      info[NSURLErrorFailingURLErrorKey] = url
      info[NSLocalizedDescriptionKey] = text
      self.init(code, userInfo: info)
    }
  }
#endif
