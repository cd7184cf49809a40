package import PromiseCore

/// A context that the run loop of the main thread may serve. A wait on that thread, which runs the loop, asks it.
package protocol MainLoopContext: ExecutionContext {
  /// The way in which the loop runs handlers of this context. `nil` if the context belongs to another thread than the
  /// calling one, or if the loop runs no handler of it now.
  var placeInMainLoop: PlaceInMainLoop? { get }
}

/// The way in which the run loop of the main thread runs handlers.
package enum PlaceInMainLoop {
  /// As blocks of the main queue. No block runs inside another.
  case mainQueue
  /// In a source of the loop, which runs no handler now.
  case source
}
