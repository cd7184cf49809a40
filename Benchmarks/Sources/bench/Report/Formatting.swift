import Foundation

extension Double {
  /// Returns the number with the given number of digits after the point, in the same way in every locale.
  func formatted(places: Int) -> String {
    String(format: "%.\(places)f", locale: Locale(identifier: "en_US_POSIX"), self)
  }

  /// The number as nanoseconds. It has one decimal place below 1,000, and none from there on.
  var asNanoseconds: String { formatted(places: self < 1_000 ? 1 : 0) }
}

extension String {
  /// Returns the string, filled with spaces up to a width.
  func padded(to width: Int, right: Bool) -> String {
    let space = String(repeating: " ", count: Swift.max(0, width - count))
    return right ? space + self : self + space
  }
}
