// The plain class of Docs/Migrating, for which the compiler says nothing in Swift 5 mode.
// modes: swift5
import PromiseContexts

final class Profile {
  var name = ""

  func show(_ user: Promise<String>) { user.tap { self.name = $0 } }
}

@MainActor final class Page {
  let profile = Profile()

  func show(_ user: Promise<String>) {
    let profile = profile
    user.tap { profile.name = $0 }
  }
}
