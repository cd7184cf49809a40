// A chain of twelve links, of which one is wrong. The compiler must name the mistake at its place.
import PromiseContexts

struct User: Sendable { var name = "" }

@MainActor final class Screen { func shown(_ user: User) -> User { user } }

nonisolated func rename(_ user: User, to name: String) -> User { User(name: name) }
nonisolated func check(_ user: User) throws -> User { user }
nonisolated func save(_ user: User) -> Promise<User> { .fulfilled(user) }

func chain(_ start: Promise<User>, _ screen: Screen) -> Promise<User> {
  start
    .map { rename($0, to: "a") }
    .then { save($0) }
    .map(on: .main) { screen.shown($0) }
    .tap { print($0) }
    .map { try check($0) }
    // expect: value of type 'User' has no member 'nam'
    .map { $0.nam }
    .then(on: .global()) { save($0) }
    .map { rename($0, to: "b") }
    .recover { _ in User() }
    .validate { !$0.name.isEmpty }
    .map(on: .main) { screen.shown($0) }
    .then { save($0) }
}
