import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPURLResponse {
  /// Returns the value of a header without the white space around it, or `nil` if there is none.
  ///
  /// Foundation joins the lines of a header. On Linux (Swift 6.3.1) it does so only if their names are equal in case, so
  /// this joins the rest. It does so in the order of the names, because the order of the lines is lost. If Foundation
  /// knows the name of the header, such as `Link`, only the lines under one spelling are left.
  func value(ofHeader name: String) -> String? {
    let name = name.lowercased()
    let lines = allHeaderFields.compactMap { key, value -> (name: String, value: String)? in
      guard let key = key as? String, key.lowercased() == name, let value = value as? String else { return nil }
      return (key, value.withoutOuterBlanks)
    }
    guard lines.count > 1 else { return lines.first?.value }
    return lines.sorted { $0.name < $1.name }.map(\.value).joined(separator: ", ")
  }
}

extension StringProtocol {
  /// The text without spaces and tabs at its ends, which are not part of the value of a header (RFC 9110, 5.5).
  var withoutOuterBlanks: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
}
