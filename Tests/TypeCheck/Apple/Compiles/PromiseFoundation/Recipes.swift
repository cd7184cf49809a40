// Holds the snippets of Docs/Recipes/FromCombine.md, word for word. `Scripts/check-snippets.py` compares them. They are type-checked against
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
