public import CoreMetrics
public import Logging
public import PromiseContexts
import PromiseRecording
import ServiceContextModule
public import Tracing

/// The service context of the code that attaches a handler, which the handler finds as `ServiceContext.current`.
private struct CarriedServiceContext: CarriedContext {
  let context = ServiceContext.current

  func run(_ handler: () -> Void) { ServiceContext.$current.withValue(context, operation: handler) }

  nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await ServiceContext.$current.withValue(context) { await handler() }
  }
}

extension Diagnostics {
  /// Carries the service context of the code that attaches a handler to the handler, on every context.
  ///
  /// A handler of code without a service context runs without one, even on a thread that has one.
  public static func carryServiceContext() { carryContext { CarriedServiceContext() } }

  /// Writes unhandled rejections to a logger, as errors.
  public static func logUnhandledRejections(to logger: Logger) {
    onUnhandledRejection { rejection in
      logger.error("unhandled rejection", error: rejection.error, metadata: ["promise": "\(rejection.createdAt)"])
    }
  }

  /// Sets a meter to the number of pending promises. Call it as often as the metrics are collected.
  ///
  /// Only promises count that are made while `recordsPendingPromises` is on.
  public static func measurePendingPromises(with meter: Meter) { meter.set(pending().count) }
}

/// Begins a span, calls the closure in its context, and ends the span when the promise of the closure is settled.
///
/// A rejection is recorded in the span, and sets its status to `error`. A cancellation sets the attribute
/// `promise.cancelled` instead. The span is not a consumer of the promise. It does not keep the work going.
///
/// - Parameter body: begins the work. If it throws, the result is rejected with that error.
public func withSpan<Value>(
  _ name: String, ofKind kind: SpanKind = .internal, fileID: StaticString = #fileID, line: UInt = #line,
  promise body: () throws -> Promise<Value>
) -> Promise<Value> {
  let span = startSpan(name, ofKind: kind)
  let work = ServiceContext.$current.withValue(span.context) {
    do { return try body() } catch { return .rejected(error, fileID: fileID, line: line) }
  }
  let result = Deferred<Value>(fileID: fileID, line: line)
  result.onCancel { _ in span.attributes["promise.cancelled"] = true }
  result.onEnd { outcome in
    if work.isCancelled { span.attributes["promise.cancelled"] = true }
    if case .failure(let error) = outcome, span.attributes["promise.cancelled"] == nil {
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error))
    }
    span.end()
  }
  result.follow(work)
  return result.promise
}
