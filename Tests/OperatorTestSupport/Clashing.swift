/// A key whose hash is always the same.
package struct Clashing: Hashable {
  package let number: Int

  package init(number: Int) { self.number = number }

  package func hash(into hasher: inout Hasher) {}
}
