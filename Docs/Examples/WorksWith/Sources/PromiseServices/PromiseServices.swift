public import PromiseContexts
public import ServiceLifecycle

/// A service that begins work when it is run, and gives the work up when the program shuts down gracefully.
///
/// The service ends when the work has finished, with its cleanups. It fails if the work is rejected, unless the
/// shutdown has cancelled it.
public struct PromiseService<Value: Sendable>: Service {
  private let start: @Sendable () throws -> Promise<Value>

  /// - Parameter start: begins the work.
  public init(_ start: @escaping @Sendable () throws -> Promise<Value>) { self.start = start }

  public func run() async throws {
    let work = try start()
    do {
      _ = try await withGracefulShutdownHandler {
        try await work.value(cancelsSource: true)
      } onGracefulShutdown: {
        work.cancel(upstream: true)
      }
    } catch {
      // Only after a graceful shutdown, the service ends without an error.
      if !Task.isShuttingDownGracefully || !work.isCancelled { throw error }
    }
  }
}
