// The snippets of Docs/Recipes/FromCombine.md, word for word: `.ci/check-snippets` checks that they are here. They are type-checked
// against stubs and never run. What they import of ours is this module, in which they are compiled.

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
