/// A reference to a context in a reaction, counted by hand.
///
/// The thread that takes the context over does not write the field in which it is stored. So another thread may read the
/// field meanwhile, and later store something else there, although the two threads do not wait for each other.
///
/// `@safe`, because the reference is released once: `ReactionWord.retainsContext` tells which thread takes it over.
@safe
struct StoredContext {
  private var words: (UInt, UInt) = (0, 0)

  /// Stores a context, and retains it.
  init(retaining context: any ExecutionContext) {
    unsafe withUnsafeMutablePointer(to: &words) {
      _ = unsafe UnsafeMutableRawPointer($0).initializeMemory(as: (any ExecutionContext).self, to: context)
    }
  }

  /// Returns the context, with the reference to it.
  func take() -> any ExecutionContext {
    var words = words
    return unsafe withUnsafeMutablePointer(to: &words) {
      unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: (any ExecutionContext).self).move()
    }
  }
}
