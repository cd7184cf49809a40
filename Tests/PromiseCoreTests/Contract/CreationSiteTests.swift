import PromiseCore
import TestSupport
import Testing

@Suite("Creation sites in errors")
struct CreationSiteTests {
  @Test("The creation site in an error is by default the place of the call", .rule("6.2"))
  func defaults() throws {
    var deferred: Deferred<Int>? = Deferred<Int>()
    let line = #line - 1
    let promise = try #require(deferred?.promise)
    deferred = nil
    guard case .rejected(PromiseError.broken(let site)) = promise.state else {
      Issue.record("not broken: \(promise.state)")
      return
    }
    #expect(site.line == line)
    #expect(site.fileID == #fileID)
    #expect(site.description == "\(#fileID):\(line)")
  }

  @Test("Every initializer that makes an owner records its creation site", .rule("6.2"))
  func owners() {
    #expect(Promise<Int>(line: 31) { _ in }.seen == .rejected(.broken(31)))
    let inline = Promise<Int> { _ in }
    let line: UInt = #line - 1
    #expect(inline.seen == .rejected(.broken(line)))
    let context = ManualContext()
    let later = Promise<Int>(on: context) { _ in }
    context.runUntilIdle()
    #expect(later.seen == .rejected(.broken(line + 4)))
  }

  @Test(
    "A line above 65,535 is recorded as 65,535, and line 0 as 0",
    arguments: [0, 65_535, 65_536, 1_000_000] as [UInt])
  func longFiles(line: UInt) {
    #expect(Promise<Int>(line: line) { _ in }.seen == .rejected(.broken(min(line, 65_535))))
  }

  @Test("Creation sites compare and hash by value", .rule("6.2"))
  func equality() {
    func site(_ line: UInt) -> CreationSite { CreationSite(fileID: #fileID, line: line) }
    #expect(site(5) == site(5) && site(5) != site(6))
    #expect(Set([site(5), site(5), site(6)]).count == 2)
  }
}
