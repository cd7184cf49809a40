/// Describes something as text without line breaks, of at most `length` characters and "…".
///
/// - Complexity: that of its own `description`, and O(`length`). Of the description only the first scalars are looked at, since a single
///   character may consist of any number of them.
func oneLine(_ something: Any, atMost length: Int = 200) -> String {
  let text = String(describing: something)
  let scalars = text.unicodeScalars.prefix(4 * length)
  let start = Substring(scalars)
  let shown = start.prefix(length)
  let line = String(shown.map { $0.isNewline ? " " : $0 })
  return shown.endIndex == text.endIndex ? line : line + "…"
}
