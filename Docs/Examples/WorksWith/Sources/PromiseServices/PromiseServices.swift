public import PromiseContexts
public import ServiceLifecycle

/// A service that begins work when it is run, and gives the work up when the program shuts down gracefully.
///
/// The service ends when the work is settled and the cleanup has ended. It fails if the work is rejected, unless the
/// shutdown has cancelled it, and if the cleanup fails.
public struct PromiseService<Value: Sendable>: Service {
  private let start: @Sendable () throws -> Promise<Value>
  private let cleanup: @Sendable () throws -> Promise<Void>

  /// - Parameters:
  ///   - start: begins the work.
  ///   - cleanup: is called once, when the work is settled or the Task is cancelled.
  public init(
    _ start: @escaping @Sendable () throws -> Promise<Value>,
    cleanup: @escaping @Sendable () throws -> Promise<Void> = { .fulfilled(()) }
  ) {
    self.start = start
    self.cleanup = cleanup
  }

  public func run() async throws {
    let work = try start()
    var failure: (any Error)?
    do {
      _ = try await withGracefulShutdownHandler {
        try await work.value(cancelsSource: true)
      } onGracefulShutdown: {
        work.cancel(upstream: true)
      }
    } catch {
      // Only after a graceful shutdown, the service ends without an error.
      if !Task.isShuttingDownGracefully || !work.isCancelled { failure = error }
    }
    // A cancelled Task does not wait for the cleanup.
    do { try await cleanup().value } catch { throw failure ?? error }
    if let failure { throw failure }
  }
}
