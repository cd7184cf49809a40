import Foundation
import PromiseCombinators

/// Fetches a page. The program passes a function that uses `URLSession`. Tests pass a function that returns promises of
/// their own.
typealias Fetch = @Sendable (URL) -> Promise<Page>

/// How the checker treats servers.
struct Rules: Sendable {
  /// How many requests run at the same time, to all hosts together and to each host.
  var requests = 8
  var requestsPerHost = 2
  /// How many requests to one host may begin in a second.
  var requestsPerSecond = 5
  /// How long one attempt may take. Time in a queue does not count.
  var timeLimit = Duration.seconds(10)
  /// The number of attempts for a request in all. The pauses between attempts begin with `firstPause`, and each is
  /// twice as long as the one before.
  var attempts = 3
  var firstPause = Duration.milliseconds(500)
}

/// Checks all links of a site, each once. It begins with the links on the first page, and goes on to the pages of the
/// same host.
///
/// Links to other hosts are checked, but the pages there are not searched for further links.
struct LinkChecker: Sendable {
  private let start: URL
  private let fetch: Fetch
  private let rules: Rules
  private let queues: RequestQueues
  private let findings = Findings()

  init(start: URL, rules: Rules = Rules(), fetch: @escaping Fetch) {
    self.start = start
    self.rules = rules
    self.fetch = fetch
    queues = RequestQueues(rules)
  }

  /// The findings so far, even after the check was cancelled.
  var summarySoFar: Summary { findings.summary }

  /// Begins the check. The promise has the progress of the whole check, and is rejected only if it is cancelled.
  /// Its `cancel(upstream: true)` stops all requests, and all pauses between attempts.
  func run() -> Promise<Summary> {
    visit(findings.newLinks(among: [start], on: nil), of: nil)
      .map(weight: 0) { findings.summary }
      .labeled("summary")
  }

  private func visit(_ links: [Link], of site: URL?) -> Promise<Void> {
    Promise.all(links.map { link in visit(link, of: site) }).asVoid()
  }

  /// Checks a link, and then the links on its page. The promise waits for all of them, so cancelling it cancels all of
  /// them.
  ///
  /// The progress needs no code of its own. A page is a tenth of the work, and the links on it are the rest.
  ///
  /// - Parameter site: any page of the site, or `nil` if the link is the first one.
  private func visit(_ link: Link, of site: URL?) -> Promise<Void> {
    page(at: link.url)
      .map(weight: 0) { page in
        findings.add(link, problem: nil)
        return page
      }
      .recover { error in
        findings.add(link, problem: Problem(error))
        return Page()
      }
      .then(weight: 9) { page in
        // The first page defines the site, because its server may redirect from example.com to www.example.com.
        let url = page.url ?? link.url
        let site = site ?? url
        let links = Self.isSameHost(url, site) ? findings.newLinks(among: page.links, on: link.url) : []
        return visit(links, of: site)
      }
      .labeled("visit \(link.url.path)")
  }

  /// Each attempt waits for its own turn, so a pause between two attempts keeps no other request waiting.
  private func page(at url: URL) -> Promise<Page> {
    Promise.retry(
      attempts: rules.attempts,
      backoff: .exponential(first: rules.firstPause),
      while: Self.mayPass
    ) {
      queues.run(for: url) { fetch(url).labeled("GET \(url.path)").timeout(rules.timeLimit) }
    }
  }

  private static func mayPass(attempt: Int, error: any Error) -> Bool { Problem(error).mayPass }

  private static func isSameHost(_ url: URL, _ other: URL) -> Bool { url.host == other.host && url.port == other.port }
}
