import Foundation

extension URL {
  /// This URL with its scheme in lower case, which means the same (RFC 3986, 3.1). Foundation on Linux (Swift 6.3.1)
  /// does not know `HTTP`.
  var withLowercaseScheme: URL {
    guard let scheme, case let lowercase = scheme.lowercased(), lowercase != scheme else { return self }
    return URL(string: lowercase + absoluteString.dropFirst(scheme.count)) ?? self
  }
}
