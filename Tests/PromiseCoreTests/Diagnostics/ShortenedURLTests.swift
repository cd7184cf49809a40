import TestSupport
import Testing

@Suite("Diagnostics: URLs in texts") struct ShortenedURLTests {
  /// Texts, each with the form in which reports show it.
  private static let cases = [
    ("https://host/a/b", "https://host/a/b"),
    ("https://user:pw@host:80/a?key=1&b=2#f", "https://host:80/a?…"),
    ("https://user@host#token", "https://host#…"),
    ("http://u:p@[::1]:80/a?b", "http://[::1]:80/a?…"),
    ("https://u:p@ss@host", "https://host"),
    ("https://host/@scope/a", "https://host/@scope/a"),
    ("https://user:p/w@host/a", "https://…"),
    ("ftp://u:p@h/f, then (https://h/?q=1).", "ftp://h/f, then (https://h/?…)."),
    ("{url=https://u:p@h/?q=1, other=2}", "{url=https://h/?…, other=2}"),
    ("\"postgres://u:p@h/db?x\" <http://h?x>", "\"postgres://h/db?…\" <http://h?…>"),
    ("https://h/?next=https://u:p@h/", "https://h/?…"),
    ("no URL: a@b?c#d", "no URL: a@b?c#d"),
    ("://", "://"),
  ]

  @Test("Reports and debugDescription show URLs without secrets", arguments: cases)
  func texts(_ text: String, _ shown: String) {
    let reports = Log<UnhandledRejection>()
    Diagnostics.scoped(unhandledRejection: reports.append) { _ = Promise<Int>.rejected(text, fileID: "M/F", line: 1) }
    #expect(reports.entries.map(\.description) == ["M/F:1: unhandled rejection: \(shown)"])
    let second = Log<SecondSettlement>()
    Diagnostics.scoped(secondSettlement: second.append) {
      let deferred = Deferred<Int>(fileID: "M/F", line: 1)
      deferred.fulfill(1)
      deferred.reject(text)
    }
    #expect(second.entries.map(\.description) == ["M/F:1: settled a second time: the error \(shown) was refused"])
    // A description cuts texts to 60 characters. All texts here are shorter.
    let rejected = Promise<Int>.rejected(text, fileID: "M/F", line: 2).debugDescription
    #expect(rejected == "Promise<Int>, rejected: \(shown), M/F:2")
    let fulfilled = Promise.fulfilled(text, fileID: "M/F", line: 2).debugDescription
    #expect(fulfilled == "Promise<String>, fulfilled: \(shown), M/F:2")
  }

  @Test("A URL with very long user information is shown without it")
  func longUserInformation() {
    for count in [10, 55, 60, 300, 1_040, 1_050, 1_060, 5_000] {
      for separator in ["", ":", "/"] {
        let secret = String(repeating: "s", count: count)
        let text = "https://user:\(secret)\(separator)\(secret)@host/path"
        let shown = Promise.fulfilled(text, fileID: "M/F", line: 2).debugDescription
        #expect(shown.hasPrefix("Promise<String>, fulfilled: https://"))
        #expect(!shown.contains("user"), "\(count) \(separator): \(shown)")
        #expect(!shown.contains("sss"), "\(count) \(separator): \(shown)")
      }
    }
  }

  @Test("Diagnostics.showsWholeURLs shows URLs in full, and errors always carry the whole URL")
  func switched() async {
    await #expect(processExitsWith: .success) {
      let text = "https://user:pw@host/a?key=1"
      let promise = Promise<Int>.rejected(text, fileID: "M/F", line: 2)
      Diagnostics.showsWholeURLs = true
      precondition(Diagnostics.showsWholeURLs)
      precondition(promise.debugDescription == "Promise<Int>, rejected: \(text), M/F:2", promise.debugDescription)
      Diagnostics.showsWholeURLs = false
      precondition(promise.debugDescription == "Promise<Int>, rejected: https://host/a?…, M/F:2")
      guard case .failure(let error) = promise.result else { preconditionFailure() }
      precondition(error as? String == text)
    }
  }
}
