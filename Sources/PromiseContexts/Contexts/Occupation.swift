import PromiseCore

/// What the running handler has to itself, in debug builds: an actor, or a queue. It is asked for before a wait (rule 7.2).
struct Occupation: Sendable {
  #if DEBUG
    @TaskLocal private static var current: Occupation?

    private let place: ObjectIdentifier
    /// A Task that the handler makes inherits the value, but is another, and elsewhere.
    private let task = runningTask

    static func begin(of place: AnyObject, _ body: () -> Void) {
      $current.withValue(Occupation(place: ObjectIdentifier(place))) { body() }
    }

    static func isOf(_ object: AnyObject) -> Bool {
      current.map { $0.place == ObjectIdentifier(object) && $0.task == runningTask } ?? false
    }
  #else
    @inline(__always) static func begin(of place: AnyObject, _ body: () -> Void) { body() }

    static func isOf(_ object: AnyObject) -> Bool { false }
  #endif
}
