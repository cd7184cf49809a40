/// What an operation saw of the settlement of the promise that it worked on, when it was over.
enum Witness: Sendable {
  /// This operation settled it.
  case settled
  /// It was pending still.
  case before
  /// It was settled already, by somebody else.
  case after
  /// There is no telling.
  case nothing
}
