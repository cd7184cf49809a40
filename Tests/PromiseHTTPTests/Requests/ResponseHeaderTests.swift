import Testing

@testable import PromiseHTTP

@Suite("Headers of responses", .bounded) struct ResponseHeaderTests {
  /// 784111777 s after 1970, which is `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static let today = Date(timeIntervalSince1970: 784_111_777)

  @Test(
    "A date in each of the three formats of HTTP is read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799),
      ("Saturday, 01-Jan-44 00:00:00 GMT", 2_335_219_200), ("Sunday, 01-Jan-45 00:00:00 GMT", -788_918_400),
    ])
  func date(_ text: String, _ seconds: Int) {
    #expect(Date(http: text, now: Self.today)?.timeIntervalSince1970 == TimeInterval(seconds))
  }

  @Test("A year of two digits is within fifty years of the present", arguments: [(46, 2046), (50, 2050), (51, 1951)])
  func century(_ digits: Int, _ year: Int) throws {
    let year2000 = Date(timeIntervalSince1970: 946_684_800)
    let date = try #require(Date(http: "Monday, 01-Jan-\(digits) 00:00:00 GMT", now: year2000))
    let whole = Date(http: "Mon, 01 Jan \(year) 00:00:00 GMT")
    #expect(date == whole)
  }

  @Test(
    "A text that is not a date of HTTP is refused",
    arguments: [
      "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun 06 Nov 1994 08:49:37 GMT",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37:x GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06--Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 94", "Sun, ٠٦ Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
  func noDate(_ text: String) { #expect(Date(http: text) == nil) }

  @Test(
    "Retry-After is read as seconds or as a date",
    arguments: [
      ("120", 120), (" 120 ", 120), ("0", 0), ("007", 7), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
      ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
      ("99999999999999999999999", 100 * 366 * 86_400), ("9999999999", 100 * 366 * 86_400),
      ("Sun, 06 Nov 9994 08:00:00 GMT", 100 * 366 * 86_400), ("", nil), ("-1", nil), ("1.5", nil), ("+1", nil),
      ("soon", nil), ("1, 2", nil), ("٣", nil),
    ] as [(String, Int?)])
  func retryAfter(_ text: String, _ seconds: Int?) throws {
    let response = try response(["Retry-After": text])
    #expect(response.retryAfter(now: Self.today) == seconds.map { .seconds($0) })
  }

  @Test("A date in Retry-After is counted from the Date of the response, and a date that is not valid is ignored")
  func countedFrom() throws {
    let later = "Sun, 06 Nov 1994 08:50:37 GMT"
    let now = "Sun, 06 Nov 1994 08:50:00 GMT"
    #expect(try response(["Retry-After": later, "Date": now]).retryAfter == .seconds(37))
    #expect(try response(["Retry-After": later, "Date": "now"]).retryAfter(now: Self.today) == .seconds(60))
    #expect(try response(["Retry-After": "5", "Date": now]).retryAfter == .seconds(5))
    #expect(try response().retryAfter == nil)
  }

  @Test(
    "Links are read",
    arguments: [
      ("<http://host/x>; rel=\"next\"", "http://host/x [next]"),
      ("</x>; rel=next", "http://host/x [next]"),
      ("<?page=2>;rel=next", "http://host/a/b?page=2 [next]"),
      ("<../x>; REL=\"Next  prev\"", "http://host/x [next prev]"),
      ("<x>", "http://host/a/x []"),
      ("<x>; rel=a, <y>; rel=b", "http://host/a/x [a] http://host/a/y [b]"),
      (" ,, <x> ;rel = a ,,<y>;;rel=b,", "http://host/a/x [a] http://host/a/y [b]"),
      ("<x,y;z>; title=\"a, b; <c>\"; rel=a", "http://host/a/x,y;z [a] title=a, b; <c>"),
      ("<x>; title=\"a\\\"b\\\\\"; rel=a", "http://host/a/x [a] title=a\"b\\"),
      ("<x>; title=\"\"; rel=a", "http://host/a/x [a] title="),
      ("<x>; rel=a; rel=b", "http://host/a/x [a]"),
      ("<x>; crossorigin; rel=a", "http://host/a/x [a] crossorigin="),
      ("<x>; title*=UTF-8'de'n%c3%a4chstes; rel=a", "http://host/a/x [a] title*=UTF-8'de'n%c3%a4chstes"),
      ("<x>; rel=\"http://example.com/Foo\"", "http://host/a/x [http://example.com/foo]"),
      // Mistakes.
      ("", ""), ("x; rel=a", ""), ("<x", ""), ("<x>; rel=a, y; rel=b, <z>; rel=c", "http://host/a/x [a]"),
      ("<x> junk; rel=a, <y>; rel=b", "http://host/a/x [] http://host/a/y [b]"),
      ("<x>; rel=\"a", "http://host/a/x [a]"), ("<x>; rel=\"a\" junk; type=t", "http://host/a/x [a]"),
      ("<x>; =v; rel=a", "http://host/a/x [a]"), ("<x>; rel=", "http://host/a/x []"), ("<x>;", "http://host/a/x []"),
    ])
  func links(_ header: String, _ expected: String) throws {
    let links = try response(["Link": header]).links
    let texts = links.map { link in
      let others = link.parameters.filter { $0.key != "rel" }.map { " \($0.key)=\($0.value)" }.sorted()
      return "\(link.target.absoluteString) [\(link.relations.joined(separator: " "))]\(others.joined())"
    }
    #expect(texts.joined(separator: " ") == expected)
  }

  @Test("A link is found by its relation, unless it is a link of another resource")
  func link() throws {
    let header = "<x>; rel=next; anchor=\"#part\", <y>; rel=\"last Next\", <z>; rel=next"
    #expect(try response(["Link": header]).link("NEXT")?.absoluteString == "http://host/a/y")
    #expect(try response(["Link": header]).link("last")?.absoluteString == "http://host/a/y")
    #expect(try response(["Link": header]).link("first") == nil)
    #expect(try response().link("next") == nil)
  }

  @Test("White space around a value is not part of the value")
  func blanks() async throws {
    let exchange = try Exchange { _ in
      Response(
        headers: [
          ("X-A", " \t a \t b\t "), ("X-Other", "a\u{A0}"), ("Content-Type", "application/JSON\t "),
          ("Retry-After", "120\t"), ("Link", "</b>; rel=next\t"),
        ], pieces: [.text("[1]")])
    }
    let response = try await exchange.session.promise(for: .get(exchange.server.address)).value
    #expect(response["X-A"] == "a \t b")
    #expect(response["X-Other"] == "a\u{A0}")
    #expect(response.contentType == "application/json")
    #expect(try response.decoded(as: [Int].self) == [1])
    #expect(response.retryAfter == .seconds(120))
    #expect(try response.link("next") == exchange.url("/b"))
    // A session on Linux fails for such a header (Swift 6.3.1).
    #expect(try PromiseHTTPTests.response(["X-Empty": " \t "])["x-empty"] == "")
  }

  @Test("Lines whose names differ in case are one header")
  func cases() async throws {
    let exchange = try Exchange { _ in
      Response(headers: [("X-D", "1"), ("x-d", "2"), ("X-D", "3"), ("x-D", "4 ")])
    }
    // Each dictionary has an order of its own.
    for _ in 0..<5 {
      let response = try await exchange.session.promise(for: .get(exchange.server.address)).value
      for name in ["X-D", "x-d", "X-d"] {
        let values = try #require(response[name]).split(separator: ", ").sorted()
        #expect(values == ["1", "2", "3", "4"])
      }
      #expect(response["X-E"] == nil)
    }
  }

  @Test("Several Link headers are read as one")
  func severalHeaders() async throws {
    let exchange = try Exchange { _ in
      Response(headers: [("Link", "</a>; rel=first"), ("Link", "</b>; rel=\"next\"")], pieces: [])
    }
    let response = try await exchange.session.promise(for: .get(exchange.server.address)).value
    #expect(response.links.map(\.relations) == [["first"], ["next"]])
    #expect(try response.link("next") == exchange.url("/b"))
  }
}
