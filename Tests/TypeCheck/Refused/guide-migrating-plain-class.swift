// The plain class of Docs/Migrating in Swift 6 mode. The compiler reports the handler on the main actor only if no other
// error comes first.
// modes: plain
import PromiseContexts

// case pool: the handler runs on the pool
final class Profile {
  var name = ""

  // expect: capture of 'self' with non-Sendable type 'Profile' in a '@Sendable' closure
  func show(_ user: Promise<String>) { user.tap { self.name = $0 } }
}
// case main: the handler runs on the main actor, and the class belongs to none
final class Profile {
  var name = ""

  // expect: sending 'self' risks causing data races
  func show(_ user: Promise<String>) { user.tap(on: .main) { self.name = $0 } }
}
// case view: the same with a view
final class Profile {
  var name = ""

  // expect: sending 'self' risks causing data races
  func show(_ user: Promise<String>) { user.on(.main).tap { self.name = $0 } }
}
// end cases
