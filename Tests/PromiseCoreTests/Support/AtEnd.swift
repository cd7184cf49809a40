/// Calls its closure when it is deallocated, as user code in a `deinit` does.
final class AtEnd: Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }
}
