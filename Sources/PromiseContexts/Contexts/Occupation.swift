/// What the running handler has to itself, in debug builds: an actor, or a queue. It is asked for before a wait (rule 7.2).
enum Occupation {
  #if DEBUG
    @TaskLocal private static var place: ObjectIdentifier?

    static func begin(of place: AnyObject, _ body: () -> Void) { $place.withValue(ObjectIdentifier(place)) { body() } }

    static func isOf(_ object: AnyObject) -> Bool { place == ObjectIdentifier(object) }
  #else
    @inline(__always) static func begin(of place: AnyObject, _ body: () -> Void) { body() }

    static func isOf(_ object: AnyObject) -> Bool { false }
  #endif
}
