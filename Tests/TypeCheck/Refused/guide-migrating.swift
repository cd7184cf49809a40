// The class of Docs/Migrating with `@MainActor`, and a handler that forgets `on: .main`.
// modes: plain main-actor swift5 swift5-complete swift5-main
import PromiseContexts

@MainActor final class Profile {
  var name = ""

  // expect: main actor-isolated property 'name' can not be mutated from a Sendable closure
  func show(_ user: Promise<String>) { user.tap { self.name = $0 } }

  func update(_ new: String) { name = new }

  // expect: call to main actor-isolated instance method 'update' in a synchronous nonisolated context
  func load(_ user: Promise<String>) { user.tap { self.update($0) } }
}

nonisolated func show(_ user: Promise<String>, in profile: Profile) {
  // expect: call to main actor-isolated instance method 'show' in a synchronous nonisolated context
  profile.show(user)
}
