// Likely mistakes with resources.
import PromiseCombinators

nonisolated struct Handle: Sendable {
  func copy(to other: Handle) -> Promise<Int> { .fulfilled(1) }
  func close() {}
}

nonisolated struct File: Sendable {
  func open() -> Promise<Handle> { .fulfilled(Handle()) }
  func close(_ handle: Handle) -> Promise<Void> { .fulfilled(()) }
  func drop(_ handle: Handle) {}
  func openLater() async throws -> Handle { Handle() }

  var handle: Resource<Handle> { Resource(open, release: close) }
}

func one(_ file: File) {
  // expect: cannot convert value of type '()' to closure result type 'AnyPromise'
  let _: Promise<Int> = Promise.using(file.open, release: { $0.close() }, { $0.copy(to: $0) })
  // expect: cannot convert value of type '()' to closure result type 'AnyPromise'
  let _: Promise<Int> = Promise.using(file.open, release: { handle, outcome in handle.close() }, { $0.copy(to: $0) })
  // expect: to expected argument type '@Sendable (Handle) throws -> AnyPromise'
  let _: Promise<Int> = Promise.using(file.open, release: file.drop) { $0.copy(to: $0) }
  // expect: value of type 'Handle' has no member 'kopy'
  let _: Promise<Int> = Promise.using(file.open, release: file.close) { handle in handle.kopy(to: handle) }
  // expect: value of type 'Handle' has no member 'klose'
  let _: Promise<Int> = Promise.using(file.open, release: { handle in handle.klose() }, { $0.copy(to: $0) })
  // The message does not name the mistake. Docs/Recipes/CleanUp.md says what it means.
  // expect: expects 1 argument, but 2 were used in closure body
  let _: Promise<Int> = Promise.using(file.open, release: { handle, outcome in handle.klose() }, { $0.copy(to: $0) })
}

func two(_ file: File) {
  // expect: expects 2 arguments, but 1 was used in closure body
  let _: Promise<Int> = Promise.using(file.handle, file.handle) { handle in handle.copy(to: handle) }
  // expect: cannot convert value of type 'Int' to closure result type
  let _: Promise<Int> = Promise.using(file.handle, file.handle) { source, target in 5 }
  // expect: value of type 'Handle' has no member 'kopy'
  let _: Promise<Int> = Promise.using(file.handle, file.handle) { source, target in source.kopy(to: target) }
  // expect: cannot convert value of type '()' to closure result type 'AnyPromise'
  _ = Resource(file.open, release: { handle in handle.close() })
  // expect: missing argument label 'async:' in call
  // expect: to expected argument type '@Sendable (Handle) async throws -> Void'
  _ = Resource(file.openLater, release: file.close)
}
