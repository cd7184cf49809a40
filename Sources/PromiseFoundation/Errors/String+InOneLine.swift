extension String {
  /// The text with one space in place of each sequence of line breaks, and without line breaks at its ends. `oneLine`
  /// of PromiseCore differs: it keeps the number of line breaks and cuts long text.
  package var inOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
