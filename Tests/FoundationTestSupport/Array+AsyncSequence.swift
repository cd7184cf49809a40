extension Array {
  /// Collects an asynchronous sequence.
  package init<Elements: AsyncSequence>(_ elements: Elements) async throws where Elements.Element == Element {
    self = []
    for try await element in elements { append(element) }
  }
}
