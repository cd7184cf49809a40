/// A reference to a context in a reaction, counted by hand.
///
/// The thread that takes the context over does not write the field in which it is stored. So another thread may read the
/// field meanwhile, and later store something else there, although the two threads do not wait for each other.
///
/// `@safe`, because the reference is released once, by the thread that `ReactionWord.retainsContext` determines.
@safe
struct StoredContext {
  private unowned(unsafe) let context: any ExecutionContext

  /// Stores a context, and retains it.
  init(retaining context: any ExecutionContext) {
    unsafe self.context = context
    _ = unsafe Unmanaged<AnyObject>.passRetained(context)
  }

  /// Returns the context, with the reference to it.
  func take() -> any ExecutionContext {
    let context = unsafe context
    // A release build retains nothing in the line above, and releases nothing here.
    unsafe Unmanaged<AnyObject>.passUnretained(context).release()
    return context
  }
}
