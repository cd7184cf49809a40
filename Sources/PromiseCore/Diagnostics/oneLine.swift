/// What something is, as text without line breaks and of bounded length.
func oneLine(_ something: Any, atMost length: Int = 200) -> String {
  let text = String(describing: something)
  let line = String(text.prefix(length).map { $0.isNewline ? " " : $0 })
  return text.dropFirst(length).isEmpty ? line : line + "…"
}
