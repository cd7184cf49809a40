extension Recording {
  /// The recording as a page for a web browser: one HTML text that needs no other file and no network.
  ///
  /// The page shows the promises as a tree. Beside it, a timeline shows when each promise was pending and when handlers
  /// ran in each context or thread. The reader can zoom, search, and filter by state. A selected promise shows its
  /// site, value or error, the path of its rejection, and what it waits for. The page follows the system's light or
  /// dark appearance. It needs no mouse.
  ///
  /// An address can select a promise: `recording.html#find=load%20user` selects the first match of a search, and
  /// `recording.html#promise=12` selects a promise by its number.
  ///
  /// The page shows every title, label and text as text. None is interpreted as HTML or as a program.
  ///
  /// - Parameter title: The heading of the page.
  /// - Complexity: O(*n* + *m*), where *n* is the number of events and *m* is the length of their texts. The page takes
  ///   about 54 KB and 40 to 60 bytes for each event.
  public func page(title: String) -> String { PageSource.start + PageData(self, title: title).html + PageSource.end }
}
