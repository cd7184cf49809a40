import Foundation
import Synchronization
import TestSupport
import Testing

@testable import link_checker

/// A web of pages in memory, which notes the requests for them.
final class Web: Sendable {
  enum Answer: Sendable {
    case page([String])
    /// A page from another address, to which the server has redirected.
    case redirected(to: String, [String])
    case failure(Problem)
    /// No answer until the test calls `answer`.
    case silence
  }

  /// The addresses that were requested, in order.
  let requests = Log<String>()
  private let answers: Mutex<[String: Answer]>
  private let pending = Mutex<[(address: String, page: Deferred<Page>)]>([])

  /// Creates a web. An address that is not listed is a page without links.
  init(_ answers: [String: Answer]) { self.answers = Mutex(answers) }

  /// The addresses of the requests that have no answer yet and were not cancelled.
  var running: [String] { pending.withLock { $0.filter { $0.page.promise.isPending }.map(\.address) } }

  func set(_ address: String, _ answer: Answer) { answers.withLock { $0[address] = answer } }

  /// Answers the requests for this address that are running.
  func answer(_ address: String, _ page: Page = Page()) {
    for request in pending.withLock({ $0 }) where request.address == address { request.page.fulfill(page) }
  }

  func fetch(_ url: URL) -> Promise<Page> {
    let address = url.absoluteString
    requests.append(address)
    switch answers.withLock({ $0[address] }) ?? .page([]) {
    case .page(let links): return .fulfilled(Page(links: links.compactMap { Page.address($0) }))
    case .redirected(let target, let links):
      return .fulfilled(Page(url: Page.address(target), links: links.compactMap { Page.address($0) }))
    case .failure(let problem): return .rejected(problem)
    case .silence:
      let page = Deferred<Page>()
      pending.withLock { $0.append((address, page)) }
      return page.promise
    }
  }

  func checker(_ rules: Rules = Rules()) throws -> LinkChecker {
    LinkChecker(start: try #require(Page.address("http://home")), rules: rules, fetch: fetch)
  }
}
