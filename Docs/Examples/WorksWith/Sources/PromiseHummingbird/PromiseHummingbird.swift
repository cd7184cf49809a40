public import Hummingbird
public import PromiseContexts

extension Request {
  /// Waits for the promise that answers this request, and returns its value.
  ///
  /// When the client closes the connection, or the server cancels the request, the promise is given up. The work stops
  /// unless another client wants it, and this method throws when the work has ended. The body of the request must have
  /// been read before, and the connection closes after the answer.
  public func value<Value: Sendable>(of promise: Promise<Value>) async throws -> Value {
    try await body.consumeWithCancellationOnInboundClose { _ in try await promise.value(cancelsSource: true) }
  }
}
