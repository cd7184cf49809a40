import PromiseCore

extension Allocations {
  /// Counts what can be done to an object only once: two are made before.
  @inline(never)
  static func counted<Object, Result>(
    of make: @autoclosure () -> Object, _ body: (Object) -> Result
  ) -> (result: Result, allocations: Allocations) {
    let objects = [make(), make()]
    var index = 0
    return counted {
      defer { index += 1 }
      return body(objects[index])
    }
  }

  /// What is left when Dispatch's own records of enqueued blocks are taken out, which have 64 bytes. A thread that ran
  /// blocks before has a cache of them, another allocates one, so they are no part of a gate.
  var withoutContinuations: [Int] { requested.filter { $0 != 64 } }

  /// What this takes beside something else.
  func requested(beside other: Allocations) -> [Int] {
    var blocks = withoutContinuations
    for block in other.withoutContinuations {
      if let index = blocks.firstIndex(of: block) { blocks.remove(at: index) }
    }
    return blocks
  }
}

/// An owner, and what is made of its promise.
func owned<Value, Derived>(
  _ derive: (Promise<Value>) -> Derived
) -> (owner: Deferred<Value>, derived: Derived) {
  let owner = Deferred<Value>()
  return (owner, derive(owner.promise))
}
