// Links that change the type, without any annotation. At 40 such links the compiler needs seconds for any class with a
// generic `map`, because it infers all closures of one expression together. See `types-change-to.swift`.
import PromiseContexts

struct User: Sendable { var name: String }

nonisolated func load(_ id: Int) -> User { User(name: "\(id)") }

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 6 21
    .map { load($0) }
    .map { $0.name }
    .map { $0.count }
  // end
}
