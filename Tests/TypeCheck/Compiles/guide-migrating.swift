// The repaired class of Docs/Migrating.
// modes: plain main-actor swift5 swift5-complete swift5-main
import PromiseContexts

@MainActor
final class Profile {
  var name = ""

  func show(_ user: Promise<String>) { user.tap(on: .main) { self.name = $0 } }
}

@MainActor
final class Screen {
  let profile = Profile()

  func show(_ user: Promise<String>) { profile.show(user) }
}

nonisolated func show(_ user: Promise<String>, in profile: Profile) async { await profile.show(user) }
