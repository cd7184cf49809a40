/// Describes something as text without line breaks, of at most `length` characters and "…", with shortened URLs.
///
/// - Complexity: that of its own `description`, and O(`length`). Of the description only the first scalars are looked at, since a single
///   character may consist of any number of them.
func oneLine(_ something: Any, atMost length: Int = 200) -> String {
  let text = String(describing: something)
  // URLs are shortened before the text is cut: a password that is cut before its `@` could not be recognized.
  let start = text.start(length + 1_000)
  let isCut = start.endIndex < text.endIndex
  let shortened = shorteningURLs(in: start, isCut: isCut)
  let shown = shortened.start(length)
  let line = String(shown.map { $0.isNewline ? " " : $0 })
  return !isCut && shown.endIndex == shortened.endIndex ? line : line + "…"
}

extension String {
  /// The first characters, fewer if these consist of more than four scalars each.
  fileprivate func start(_ length: Int) -> Substring { Substring(unicodeScalars.prefix(4 * length)).prefix(length) }
}
