public import Foundation

extension HTTPResponse {
  /// How long the server wants the client to wait before the next request (RFC 9110, 10.2.3). `nil` if there is no
  /// `Retry-After` header, or if it is not valid.
  ///
  /// The server writes seconds, or a date. The time until a date is counted from the `Date` header, so it does not
  /// depend on the clock of the client, or from now if there is none. A date in the past gives zero. The longest time
  /// is a hundred years.
  public var retryAfter: Duration? { retryAfter(now: Date()) }

  /// - Parameter now: the present time, for a response without a date.
  func retryAfter(now: Date) -> Duration? {
    guard let text = self["Retry-After"], !text.isEmpty else { return nil }
    let longest = 100 * 366 * 86_400
    guard text.utf8.allSatisfy(\.isDigit) else {
      guard let date = Date(http: text, now: now) else { return nil }
      let seconds = date.timeIntervalSince(self["Date"].flatMap { Date(http: $0, now: now) } ?? now)
      return .seconds(min(max(seconds, 0), Double(longest)))
    }
    // A number that is too large for an integer is larger than the limit.
    return .seconds(min(Int(text) ?? longest, longest))
  }

  /// The links of the `Link` headers (RFC 8288), in order. Links that are not valid are left out.
  public var links: [HTTPLink] { self["Link"].map { HTTPLink.links(in: $0, relativeTo: url) } ?? [] }

  /// Returns the target of the first link of the response with a relation, or `nil` if there is none.
  ///
  /// ```swift
  /// let next = response.link("next")
  /// ```
  ///
  /// Links with an `anchor` parameter are left out, because they are links of another resource.
  ///
  /// - Parameter relation: the relation, such as `next`. Its case does not matter.
  public func link(_ relation: String) -> URL? {
    let relation = relation.lowercased()
    return links.first { $0.parameters["anchor"] == nil && $0.relations.contains(relation) }?.target
  }
}
