import PromiseContexts
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/PagesOfAList.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Page: Sendable {
  let notes: [String]
  let next: Int?
}

private enum Guide {
  struct Notebook: Sendable {
    let page: @Sendable (Int) -> Promise<Page>

    func all() -> Promise<[String]> { notes(from: 1, after: []) }

    private func notes(from number: Int, after earlier: [String]) -> Promise<[String]> {
      page(number).then { page in
        let notes = earlier + page.notes
        guard let next = page.next else { return .fulfilled(notes) }
        return self.notes(from: next, after: notes)
      }
    }
  }

  @MainActor
  final class NotesScreen: CancelBagOwner {
    let cancelBag = CancelBag()
    private let page: @Sendable (Int) -> Promise<Page>
    private var next: Int? = 1
    private var isLoading = false
    private(set) var notes: [String] = []
    private(set) var message: String?

    init(page: @escaping @Sendable (Int) -> Promise<Page>) { self.page = page }

    /// Called when the last row comes into view.
    func loadMore() {
      guard let number = next, !isLoading else { return }
      isLoading = true
      page(number)
        .map { $0 }  // a promise of this screen alone
        .bound(to: self)
        .onSettled(on: .main) { [weak self] result in self?.show(result) }
    }

    private func show(_ result: Result<Page, any Error>) {
      isLoading = false
      switch result {
      case .success(let page):
        notes += page.notes
        next = page.next
        message = nil
      case .failure(let error):
        message = "Not loaded: \(error)"  // `next` is unchanged, so the next call tries again
      }
    }
  }
}

@Suite("The recipe for the pages of a list")
@MainActor
struct PagesOfAListTests {
  private typealias Notebook = Guide.Notebook
  private typealias NotesScreen = Guide.NotesScreen
  private let server = Requests<Int, Page>()

  /// Answers with two notes.
  private func answer(_ number: Int, next: Int?) {
    server.answer(number, with: .success(Page(notes: ["\(number)a", "\(number)b"], next: next)))
  }

  @Test("All pages are loaded, one after another", .rule("3.3"))
  func all() throws {
    try TestWorld.run(checking: .running) { world in
      let notes = Notebook(page: server.begin).all()
      for number in 1...3 {
        answer(number, next: number < 3 ? number + 1 : nil)
        world.runUntilIdle()
      }
      #expect(server.requested == [1, 2, 3])
      #expect(notes.state.value == ["1a", "1b", "2a", "2b", "3a", "3b"])
    }
  }

  @Test("Giving up the list stops the page that is loading", .rule("4.4"), arguments: 1...3)
  func cancel(loading number: Int) throws {
    try TestWorld.run(checking: .running) { world in
      let notes = Notebook(page: server.begin).all()
      for earlier in 1..<number {
        answer(earlier, next: earlier + 1)
        world.runUntilIdle()
      }
      notes.cancel(upstream: true)
      #expect(notes.isCancelled)
      #expect(server.stopped == [number])
    }
  }

  @Test("A screen loads one page at a time, and tries again after an error", .rule("2.2"))
  func screen() throws {
    try TestWorld.run(checking: .running) { world in
      let screen = NotesScreen(page: server.begin)
      screen.loadMore()
      screen.loadMore()
      #expect(server.requested == [1])
      answer(1, next: 2)
      world.runUntilIdle()
      screen.loadMore()
      server.answer(2, with: .failure(TestError(1)))
      world.runUntilIdle()
      #expect(screen.notes == ["1a", "1b"])
      #expect(screen.message != nil)
      screen.loadMore()
      answer(2, next: nil)
      world.runUntilIdle()
      screen.loadMore()
      #expect(server.requested == [1, 2, 2])
      #expect(screen.notes == ["1a", "1b", "2a", "2b"])
      #expect(screen.message == nil)
    }
  }
}
