// A chain of links, of which one is wrong. The compiler must name the mistake at its place.
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
    // case argument: an argument has a wrong type
    // expect: cannot convert value of type 'Int' to expected argument type 'String'
    .map { rename($0, to: 1) }
    // case context: a context is misspelt
    // expect: has no member 'mian'
    .map(on: .mian) { rename($0, to: "") }
    // case label: a label is wrong
    // expect: incorrect argument label in call
    .map { rename($0, into: "") }
    // case main-actor: a handler on the pool calls a method of the main actor
    // expect: call to main actor-isolated instance method
    .map { screen.shown($0) }
    // case method: a property is misspelt
    // expect: value of type 'User' has no member 'nam'
    .map { $0.nam }
    // case name: a function is misspelt
    // expect: cannot find 'renam' in scope
    .map { renam($0, to: "") }
    // case throws-missing-try: a `try` is missing
    // expect: call can throw, but it is not marked with 'try'
    .map { check($0) }
    // case method-after-then: a property is misspelt after a `then`. For any class with a generic `then`, the compiler
    // also reports the `then`. Both messages are expected here, to show when the compiler improves. One of them names
    // the place of the mistake.
    // expect: cannot convert value of type 'Promise<User>' to closure result type 'Promise<U>'
    .then(on: .global()) { save($0) }
    // expect: cannot infer type of closure parameter '$0' without a type annotation
    .map { $0.nam }
    // end cases
    .then(on: .global()) { save($0) }
    .map { rename($0, to: "b") }
    .recover { _ in User() }
    .validate { !$0.name.isEmpty }
    .map(on: .main) { screen.shown($0) }
    .then { save($0) }
}
