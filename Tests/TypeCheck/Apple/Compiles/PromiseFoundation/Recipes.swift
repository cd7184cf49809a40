// Holds the snippets of Docs/Recipes/FromCombine.md, and that of Docs/Recipes/SystemEvents.md for key-value observing, word for word. `Scripts/check-snippets.py` compares them. They are type-checked against
// stubs as part of PromiseFoundation, and never run.

#if canImport(Combine)
  import Combine
  import PromiseContexts

  func firstName(of names: some Publisher<String, any Error>) -> Promise<String> {
    names.firstValue()
  }

  func subscribe(to name: Promise<String>) -> AnyCancellable {
    name.publisher.sink(
      receiveCompletion: { completion in
        if case .failure(let error) = completion { print("no name: \(error)") }
      },
      receiveValue: { print("Hello, \($0)!") })
  }
#endif

#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  @MainActor
  func value<Object: NSObject, Value: Sendable>(
    of keyPath: KeyPath<Object, Value>, in object: Object, where isWanted: @escaping @Sendable (Value) -> Bool
  ) -> Promise<Value> {
    let deferred = Deferred<Value>()
    let observation = object.observe(keyPath, options: [.initial, .new]) { _, change in
      if let value = change.newValue, isWanted(value) { deferred.fulfill(value) }
    }
    deferred.onEnd(on: .main) { _ in observation.invalidate() }
    return deferred.promise
  }
#endif
