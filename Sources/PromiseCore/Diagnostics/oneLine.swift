/// Describes a value in one line of at most `length` characters, followed by "…" if it was cut. URLs are shortened.
///
/// - Complexity: that of the value's `description`, and O(`length`). Only the first scalars of the description are
///   read, because one character may consist of any number of scalars.
package func oneLine(_ something: Any, atMost length: Int = 200) -> String {
  let text = String(describing: something)
  // Shortens URLs before it cuts the text, because a password that is cut before its `@` could not be recognised.
  let start = text.start(length + 1_000)
  let isCut = start.endIndex < text.endIndex
  let shortened = shorteningURLs(in: start, isCut: isCut)
  let shown = shortened.start(length)
  let line = String(shown.map { $0.isNewline ? " " : $0 })
  return !isCut && shown.endIndex == shortened.endIndex ? line : line + "…"
}

extension String {
  /// Returns the first characters, or fewer if they consist of more than four scalars each.
  fileprivate func start(_ length: Int) -> Substring { Substring(unicodeScalars.prefix(4 * length)).prefix(length) }
}
