import TestSupport
import Testing

@Suite("The library's own errors") struct PromiseErrorTests {
  private static let site = CreationSite(fileID: "Here/There.swift", line: 7)

  private static let all: [(error: PromiseError, code: PromiseError.Code, reason: String)] = [
    (.broken(createdAt: site), .broken, "never settled: its Deferred was deallocated"),
    (.contextDropped(createdAt: site), .contextDropped, "without running it"),
    (.cycle(createdAt: site), .cycle, "waits for itself"),
    (.validationFailed(value: "7", message: "odd", createdAt: site), .validationFailed, "refused the value 7: odd"),
    (.noValue(createdAt: site), .noValue, "no value"),
    (.emptyCallback(createdAt: site), .emptyCallback, "received neither a value nor an error"),
    (.emptyInput(createdAt: site), .emptyInput, "no promise"),
    (.noneFulfilled([TestError(1), TestError(2)], createdAt: site), .noneFulfilled, "too few"),
    (.timedOut(createdAt: site), .timedOut, "in time"),
    (.queueFull(createdAt: site), .queueFull, "the queue of the gate was full"),
  ]

  @Test("Each error says in one line what went wrong and where, and is matched by its own code only", arguments: all)
  func each(_ test: (error: PromiseError, code: PromiseError.Code, reason: String)) {
    let error = test.error
    let code = test.code
    let text = test.error.description
    #expect(text.contains(test.reason), "\(text)")
    #expect(text.contains("Here/There.swift:7"), "\(text)")
    #expect(!text.contains("\n"), "\(text)")
    #expect(error.code == code)
    #expect(PromiseError.Code(error) == code)
    for other in Self.all { #expect((other.code ~= (error as any Error)) == (other.code == code)) }
    #expect(Set(Self.all.map(\.code)).count == Self.all.count)
  }

  @Test("The description of noneFulfilled without errors says that there were too few promises")
  func noErrors() {
    let text = PromiseError.noneFulfilled([], createdAt: Self.site).description
    #expect(text == "the combinator at Here/There.swift:7 needs more promises than it was given")
  }

  @Test("The description of noneFulfilled describes the first eight errors only, and keeps to one line")
  func otherErrors() {
    let text = PromiseError.noneFulfilled(["one\ntwo", TestError(3)], createdAt: Self.site).description
    #expect(!text.contains("\n"))
    #expect(text.contains("one"))
    #expect(text.contains("3"))
    struct Counting: Error, CustomStringConvertible {
      let described: Locked<Int>
      var description: String { "number \(described.increment())" }
    }
    let described = Locked(0)
    let errors = (0..<10_000).map { _ in Counting(described: described) }
    let error = PromiseError.noneFulfilled(errors, createdAt: Self.site)
    #expect(error.description.hasSuffix("number 7; number 8; … 9992 more"))
    #expect(described.withLock { $0 } == 8)
  }

  @Test("A code matches its error when caught as any error, and does not match other errors")
  func caught() {
    func name(_ error: any Error) -> String {
      do { throw error } catch PromiseError.Code.timedOut { return "late" } catch { return "other" }
    }
    #expect(name(PromiseError.timedOut(createdAt: Self.site)) == "late")
    #expect(name(PromiseError.cycle(createdAt: Self.site)) == "other")
    #expect(name(TestError(1)) == "other")
    #expect(PromiseError.Code(Promise<Int>.rejected(PromiseError.timedOut(createdAt: Self.site)).error) == .timedOut)
    #expect(PromiseError.Code(Promise.fulfilled(1).error) == nil)
    #expect(PromiseError.Code(TestError(1)) == nil)
  }
}

@Suite("Creation sites in errors") struct CreationSiteTests {
  @Test("Every initializer that makes an owner records its creation site, by default that of the call", .rule("6.2"))
  func owners() throws {
    var deferred: Deferred<Int>? = Deferred<Int>()
    let line = #line - 1
    let promise = try #require(deferred?.promise)
    deferred = nil
    guard case .rejected(PromiseError.broken(let site)) = promise.state else { throw TestError() }
    #expect(site.line == line)
    #expect(site.fileID == #fileID)
    #expect(site.description == "\(#fileID):\(line)")
    #expect(Promise<Int>(line: 31) { _ in }.status == .rejected(.broken(31)))
    let inline = Promise<Int> { _ in }
    let inlineLine: UInt = #line - 1
    #expect(inline.status == .rejected(.broken(inlineLine)))
    let context = ManualContext()
    let later = Promise<Int>(on: context) { _ in }
    context.runUntilIdle()
    #expect(later.status == .rejected(.broken(inlineLine + 4)))
  }

  @Test("A line above 65,535 counts as 65,535, and line 0 as 0", arguments: [0, 65_535, 65_536, 1_000_000] as [UInt])
  func longFiles(line: UInt) {
    #expect(Promise<Int>(line: line) { _ in }.status == .rejected(.broken(min(line, 65_535))))
  }

  @Test("Creation sites compare and hash by value", .rule("6.2"))
  func equality() {
    func site(_ line: UInt) -> CreationSite { CreationSite(fileID: #fileID, line: line) }
    #expect(site(5) == site(5))
    #expect(site(5) != site(6))
    #expect(Set([site(5), site(5), site(6)]).count == 2)
  }
}
