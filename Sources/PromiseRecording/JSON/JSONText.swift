/// A JSON text that grows at its end, as UTF-8.
///
/// The writer of the trace and the writer of the page use it, because this module does not import Foundation.
struct JSONText {
  private(set) var bytes: [UInt8] = []

  /// The text so far.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends text that is JSON already.
  mutating func append(raw text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends another JSON text.
  mutating func append(_ other: JSONText) { bytes.append(contentsOf: other.bytes) }

  /// Appends an integer.
  mutating func append(_ number: Int) { append(raw: String(number)) }

  /// Appends nanoseconds as a number of microseconds with three decimals, so that no digit is lost.
  ///
  /// - Precondition: `nanoseconds` is not negative.
  mutating func append(microsecondsOf nanoseconds: Int) {
    append(nanoseconds / 1000)
    let rest = nanoseconds % 1000
    guard rest != 0 else { return }
    append(raw: rest < 10 ? ".00" : rest < 100 ? ".0" : ".")
    append(rest)
  }

  /// Appends a string literal.
  ///
  /// Escapes what JSON requires. It also escapes `<`, so that no text can end the script element that contains it, and
  /// the two line separators U+2028 and U+2029, which old JavaScript engines do not accept in a literal. O(n) in its
  /// length.
  mutating func append(quoted text: String) {
    bytes.append(quote)
    for byte in text.utf8 {
      switch byte {
      case quote, backslash: bytes += [backslash, byte]
      case 0..<0x20, 0x7F, less: append(escaped: Int(byte))
      case 0xA8...0xA9 where endsWithinSeparator:
        bytes.removeLast(2)
        append(escaped: 0x2000 + Int(byte) - 0x80)
      default: bytes.append(byte)
      }
    }
    bytes.append(quote)
  }

  /// Whether the last bytes are the first two of a line separator.
  ///
  /// Reads two bytes. Compared with an array literal, `bytes.suffix(2)` is the method of `Sequence`, which reads the
  /// whole text.
  private var endsWithinSeparator: Bool {
    bytes.count >= 2 && bytes[bytes.count - 2] == 0xE2 && bytes[bytes.count - 1] == 0x80
  }

  /// Appends the name of a member and its string value, after a comma.
  mutating func append(_ name: String, _ value: String) {
    append(raw: ",\"\(name)\":")
    append(quoted: value)
  }

  private mutating func append(escaped scalar: Int) {
    let digits = String(scalar, radix: 16)
    append(raw: "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
  }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let less = UInt8(ascii: "<")

extension Duration {
  /// The whole nanoseconds, at least 0 and at most `Int.max`.
  var wholeNanoseconds: Int {
    // `components` overflows for the longest durations.
    if self >= .nanoseconds(Int64.max) { return .max }
    let (seconds, attoseconds) = max(self, .zero).components
    return Int(clamping: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
