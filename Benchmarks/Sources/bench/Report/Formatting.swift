import Foundation

extension Double {
  /// With so many digits after the point, whatever the locale.
  func formatted(places: Int) -> String {
    String(format: "%.\(places)f", locale: Locale(identifier: "en_US_POSIX"), self)
  }

  /// Nanoseconds with three or four significant digits.
  var asNanoseconds: String { formatted(places: self < 1_000 ? 1 : 0) }
}

extension String {
  /// Filled with spaces up to a width.
  func padded(to width: Int, right: Bool) -> String {
    let space = String(repeating: " ", count: Swift.max(0, width - count))
    return right ? space + self : self + space
  }
}
