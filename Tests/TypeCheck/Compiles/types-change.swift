// Links that change the type, with nothing but the links to say so. At 40 links of this sort the compiler needs seconds, for
// any class with a generic `map`, however simple: it infers all closures of one expression together. See `types-change-to`.
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
