/// Calls its closure when it is deallocated, as user code in a `deinit` does. It may also serve as an error.
public final class AtEnd: Error, Sendable {
  private let body: @Sendable () -> Void
  public init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }
}
