import Foundation
import TestSupport
import Testing

@testable import link_checker

@Suite("The link checker") struct LinkCheckerTests {
  /// Rules that keep no request waiting.
  private static let hasty = Rules(requests: 100, requestsPerHost: 100, requestsPerSecond: 100)

  @Test("In any order of events, each page is requested once, and only the site is searched for links")
  func eachPageOnce() throws {
    try TestWorld.explore(schedules: 50, seed: 1) { world in
      let web = Web([
        "http://home/": .page(["http://home/a", "http://home/b", "http://other/x", "http://home/away"]),
        "http://home/a": .page(["http://home/", "http://home/b", "http://home/c"]),
        "http://home/b": .page(["http://home/c", "http://home/a"]),
        "http://home/c": .failure(.status(404)),
        "http://other/x": .page(["http://other/y"]),
        "http://home/away": .redirected(to: "http://other/z", ["http://other/y"]),
      ])
      let summary = try world.run(until: web.checker().run())
      let expected = [
        "http://home/", "http://home/a", "http://home/away", "http://home/b", "http://home/c", "http://other/x",
      ]
      world.expect(web.requests.entries.sorted() == expected, "one request for each page")
      world.expect(summary.checked == 6 && summary.found == 6)
      world.expect(summary.broken.map(\.link.url.path) == ["/c"] && summary.broken.map(\.problem) == [.status(404)])
    }
  }

  @Test("If the first page is on another host than its address, that host is the site")
  func redirectedStart() throws {
    try TestWorld.run { world in
      let web = Web([
        "http://home/": .redirected(to: "http://www.home/", ["http://www.home/a", "http://home/b"]),
        "http://www.home/a": .page(["http://www.home/c"]),
        "http://home/b": .page(["http://home/d"]),
      ])
      let summary = try world.run(until: web.checker().run())
      let expected = ["http://home/", "http://home/b", "http://www.home/a", "http://www.home/c"]
      #expect(web.requests.entries.sorted() == expected)
      #expect(summary.checked == 4)
    }
  }

  @Test("No more requests run than the rules allow, and a slow host leaves places to other hosts")
  func concurrency() throws {
    try TestWorld.run { world in
      let links = (1...4).map { "http://home/\($0)" } + ["http://other/1", "http://other/2", "http://third/1"]
      let web = Web(["http://home/": .page(links)])
      for link in links { web.set(link, .silence) }
      let summary = try web.checker(Rules(requests: 3, requestsPerHost: 2, requestsPerSecond: 100)).run()
      world.runUntilIdle()
      #expect(web.running == ["http://home/1", "http://home/2", "http://other/1"])
      web.answer("http://home/1")
      world.runUntilIdle()
      // The next request is the one that has waited longest for one of the three places.
      #expect(web.running == ["http://home/2", "http://other/1", "http://other/2"])
      web.answer("http://other/1")
      world.runUntilIdle()
      #expect(web.running == ["http://home/2", "http://other/2", "http://third/1"])
      summary.cancel(upstream: true)
      world.runUntilIdle()
    }
  }

  @Test("Each host has its own rate limit")
  func rate() throws {
    try TestWorld.run { world in
      let links = (1...8).map { "http://home/\($0)" } + (1...3).map { "http://other/\($0)" }
      let web = Web(["http://home/": .page(links)])
      let summary = try web.checker(Rules(requests: 100, requestsPerHost: 100, requestsPerSecond: 4)).run()
      func requests(to host: String) -> Int { web.requests.entries.count { $0.hasPrefix(host) } }
      world.runUntilIdle()
      #expect(requests(to: "http://home/") == 4)
      #expect(requests(to: "http://other/") == 3)
      world.advance(by: .milliseconds(999))
      #expect(requests(to: "http://home/") == 4)
      world.advance(by: .milliseconds(1))
      #expect(requests(to: "http://home/") == 8)
      try #expect(world.run(until: summary).checked == 12)
    }
  }

  @Test("A request that fails for a temporary reason is tried again after growing pauses")
  func retries() throws {
    try TestWorld.run { world in
      let web = Web(["http://home/": .failure(.status(503))])
      let summary = try web.checker().run()
      var counts: [Int] = []
      for pause in [0, 499, 1, 999, 1] {
        world.advance(by: .milliseconds(pause))
        counts.append(web.requests.entries.count)
      }
      #expect(counts == [1, 1, 2, 2, 3])
      try #expect(world.run(until: summary).broken.map(\.problem) == [.status(503)])
    }
  }

  @Test("A page that answers a later attempt is not reported as broken, and a missing page is not tried again")
  func recoveries() throws {
    try TestWorld.run { world in
      let web = Web(["http://home/": .failure(.noConnection("cable"))])
      let summary = try web.checker().run()
      world.runUntilIdle()
      web.set("http://home/", .page(["http://home/gone"]))
      web.set("http://home/gone", .failure(.status(404)))
      let found = try world.run(until: summary)
      #expect(web.requests.entries == ["http://home/", "http://home/", "http://home/gone"])
      #expect(
        found.broken.map(\.link) == [Link(url: Page.address("http://home/gone")!, page: Page.address("http://home"))])
    }
  }

  @Test("An attempt without an answer is stopped after ten seconds, not counting its time in a queue")
  func timeLimit() throws {
    try TestWorld.run { world in
      let web = Web([
        "http://home/": .page(["http://home/1", "http://home/2"]), "http://home/1": .silence, "http://home/2": .silence,
      ])
      let summary = try web.checker(Rules(requestsPerHost: 1, attempts: 1)).run()
      world.advance(by: .milliseconds(9_999))
      #expect(web.running == ["http://home/1"])
      world.advance(by: .milliseconds(1))
      #expect(web.running == ["http://home/2"])
      world.advance(by: .milliseconds(9_999))
      #expect(web.running == ["http://home/2"])
      let found = try world.run(until: summary)
      #expect(web.running.isEmpty)
      #expect(found.broken.map(\.problem) == [.noAnswer, .noAnswer])
    }
  }

  @Test("A stopped check stops requests, pauses and queues, and keeps its findings", .rule("4.6"))
  func cancellation() throws {
    try TestWorld.run { world in
      let links = ["http://home/gone", "http://home/busy", "http://home/1", "http://home/2", "http://home/3"]
      let web = Web([
        "http://home/": .page(links), "http://home/gone": .failure(.status(404)),
        "http://home/busy": .failure(.status(503)),
        "http://home/1": .silence, "http://home/2": .silence, "http://home/3": .silence,
      ])
      let checker = try web.checker(Rules(requestsPerSecond: 100))
      let summary = checker.run()
      world.runUntilIdle()
      #expect(web.running == ["http://home/1", "http://home/2"])
      summary.cancel(upstream: true)
      #expect(summary.isCancelled)
      #expect(web.running.isEmpty)
      world.advance(by: .seconds(60))
      #expect(web.requests.entries == ["http://home/"] + links.dropLast())
      let found = checker.summarySoFar
      #expect(found.checked == 2)
      #expect(found.found == 6)
      #expect(found.broken.map(\.problem) == [.status(404)])
    }
  }

  @Test("A page has a tenth of the progress, and its links have the rest")
  func progress() throws {
    try TestWorld.run { world in
      let web = Web(["http://home/": .silence, "http://home/1": .silence, "http://home/2": .silence])
      let summary = try web.checker(Self.hasty).run()
      var shown: [Double] = []
      for (address, links) in [("", ["1", "2"]), ("1", []), ("2", [])] {
        world.runUntilIdle()
        web.answer("http://home/\(address)", Page(links: links.compactMap { Page.address("http://home/\($0)") }))
        world.runUntilIdle()
        shown.append(summary.progress)
      }
      #expect(shown.map { Int(($0 * 100).rounded()) } == [10, 55, 100])
    }
  }

  @Test(
    "A page finds the links in its text",
    arguments: [
      (#"<a href="/a">A</a><img SRC = 'b.png'>"#, ["http://home/a", "http://home/d/b.png"]),
      (#"<a href="http://other">"#, ["http://other/"]),
      (##"<a href="#top"><a href="?a=1&amp;b=2">"##, ["http://home/d/page", "http://home/d/page?a=1&b=2"]),
      (#"<a href="HTTP://Other/A"><a href="https://[::A]:8080">"#, ["http://other/A", "https://[::a]:8080/"]),
      (#"<a href="mailto:ada"><a href="javascript:go()"><p title="/a">"#, []),
    ])
  func links(_ html: String, _ addresses: [String]) {
    let page = Page(html: html, at: Page.address("http://home/d/page")!)
    #expect(page.links.map(\.absoluteString) == addresses)
  }
}
