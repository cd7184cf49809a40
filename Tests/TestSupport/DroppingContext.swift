public import PromiseCore

/// A context that drops every job at once.
public final class DroppingContext: ExecutionContext {
  public init() {}

  public func schedule(_ job: consuming Job) { _ = consume job }
}
