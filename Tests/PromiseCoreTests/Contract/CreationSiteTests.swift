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
    "The error of a link that loses its job names the link, not its parent", .rule("6.2"), arguments: LinkKind.links)
  func links(_ kind: LinkKind) {
    for settlement in Settlement.allCases where settlement.runsHandler(of: kind) {
      let deferred = Deferred<Int>(line: 32)
      let derived = kind.attach(
        to: deferred.promise, on: DroppingContext(), giving: 2, fileID: "Elsewhere/File.swift", line: 33
      ) {}
      deferred.settle(settlement.result)
      guard case .rejected(PromiseError.contextDropped(let site)) = derived.state else {
        Issue.record("\(derived.state)")
        continue
      }
      #expect(site.description == "Elsewhere/File.swift:33")
    }
  }

  @Test(
    "A line above 65,535 is recorded as 65,535, and line 0 as 0",
    arguments: [0, 65_535, 65_536, 1_000_000] as [UInt])
  func longFiles(line: UInt) {
    #expect(Promise<Int>(line: line) { _ in }.seen == .rejected(.broken(min(line, 65_535))))
  }

  @Test("Creation sites compare and hash by value", .rule("6.2"))
  func equality() {
    func site(_ line: UInt) -> CreationSite? {
      guard case .rejected(PromiseError.broken(let site)) = Promise<Int>(line: line, { _ in }).state else { return nil }
      return site
    }
    #expect(site(5) == site(5))
    #expect(site(5) != site(6))
    #expect(Set([site(5), site(5), site(6)]).count == 2)
  }

  @Test("Library errors have distinct descriptions that name the creation site", .rule("6.2"))
  func descriptions() throws {
    let site = try #require(brokenSite)
    let errors: [PromiseError] = [
      .broken(createdAt: site), .contextDropped(createdAt: site), .cycle(createdAt: site),
      .validationFailed(value: "7", message: nil, createdAt: site), .noValue(createdAt: site),
      .emptyCallback(createdAt: site),
    ]
    for error in errors { #expect("\(error)".contains("Some/Place.swift:42")) }
    #expect(Set(errors.map { "\($0)" }).count == errors.count)
  }

  private var brokenSite: CreationSite? {
    guard
      case .rejected(PromiseError.broken(let site)) = Promise<Int>(fileID: "Some/Place.swift", line: 42, { _ in }).state
    else { return nil }
    return site
  }
}
