// The mistake of `chain-method.swift` after a `then`. For any class with a generic `then`, the compiler also reports
// the `then`. This file pins both messages, to show when the compiler improves. One of them names the place of the
// mistake.
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
    // expect: cannot convert value of type 'Promise<User>' to closure result type 'Promise<U>'
    .then(on: .global()) { save($0) }
    // expect: cannot infer type of closure parameter '$0' without a type annotation
    .map { $0.nam }
    .map { rename($0, to: "b") }
    .recover { _ in User() }
    .validate { !$0.name.isEmpty }
    .map(on: .main) { screen.shown($0) }
    .then { save($0) }
}
