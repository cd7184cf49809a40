import LoopbackServer
import PromiseProcesses
import TestSupport
import Testing

/// Runs the examples that send requests to a server, as programs.
@Suite("Examples that send requests", .bounded) struct RequestExampleTests {
  @Test("The link checker prints the broken links of a site")
  func linkChecker() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/": .html(#"<a href="/a">A</a> <a href='b.png'>B</a>"#)
      case "/a": .html(#"<a href="/">Home</a> <a href="/gone?x=1&amp;y=2#part">Gone</a>"#)
      case "/b.png": .bytes([0], type: "image/png")
      default: .notFound
      }
    }
    let run = try await ProgramRun("link-checker", [server.address], status: 1)
    let gone = "  \(server.address)/gone?x=1&y=2: status 404, on \(server.address)/a"
    #expect(run.output == ["4 of 4 links checked, 1 broken", gone])
    #expect(run.errors.isEmpty)
  }

  #if os(Linux)
    @Test("Ctrl-C stops the link checker, which then prints its partial findings")
    func linkCheckerStopped() async throws {
      let server = try LoopbackServer { request in
        switch request.path {
        case "/": .html(#"<a href="/gone">Gone</a> <a href="/slow">Slow</a>"#)
        case "/slow": .silence
        default: .notFound
        }
      }
      let stopped = try await InterruptedRun("link-checker", server.address) {
        server.requests.contains { $0.path == "/slow" } && server.requests.contains { $0.path == "/gone" }
      }
      #expect(stopped.result.status == 130)
      #expect(stopped.result.text.hasPrefix("stopped; until then: "))
      #expect(stopped.result.text.contains(" of 3 links checked, "))
      #expect(stopped.result.errorText.isEmpty)
    }
  #endif

  @Test("The cache reads once for many readers, and logs in once for many requests")
  func httpCache() async throws {
    let output = try await ProgramRun.output(of: "http-cache")
    #expect(
      output == [
        #"five readers: ["first plan"]"#, "again: first plan", "requests: 1, logins: 1", "written: second plan",
        "requests: 2, writes: 1", "after the end of the session: third plan", "logins: 2",
      ])
  }
}

extension Response {
  fileprivate static func html(_ body: String) -> Self { .bytes(Array("<html>\(body)</html>".utf8), type: "text/html") }
}
