// A chain of links in views, of which one is wrong. The compiler must name the mistake at its place.
import PromiseContexts

struct User: Sendable { var name = "" }

@MainActor final class Screen { func shown(_ user: User) -> User { user } }

nonisolated func rename(_ user: User, to name: String) -> User { User(name: name) }
nonisolated func check(_ user: User) throws -> User { user }
nonisolated func save(_ user: User) -> Promise<User> { .fulfilled(user) }

func chain(_ start: Promise<User>, _ screen: Screen) -> Promise<User> {
  start
    .on(.global())
    .map { rename($0, to: "a") }
    .then { save($0) }
    .on(.main).map { screen.shown($0) }
    .tap { print($0) }
    .on(.pool).map { try check($0) }
    // case context: a context is misspelt
    // expect: has no member 'mian'
    .on(.mian).map { rename($0, to: "") }
    .then { save($0) }
    .map { rename($0, to: "b") }
    .recover { _ in User() }
    .validate { !$0.name.isEmpty }
    .on(.main).map { screen.shown($0) }
    // case method: a link is misspelt. No `.on(.main)` follows, because the compiler would report it as well.
    // expect: has no member 'nap'
    .on(.main).nap { rename($0, to: "") }
    .then { save($0) }
    .map { rename($0, to: "b") }
    .recover { _ in User() }
    .validate { !$0.name.isEmpty }
    // end cases
    .then { save($0) }
    .promise
}
