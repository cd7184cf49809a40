import PromiseCore
import TestSupport
import Testing

@Suite("The library's own errors")
struct PromiseErrorTests {
  private static let site = CreationSite(fileID: "Here/There.swift", line: 7)

  @Test(
    "Each description says in one line what went wrong and where",
    arguments: [
      (PromiseError.broken(createdAt: site), "never settled: its Deferred was deallocated"),
      (.contextDropped(createdAt: site), "without running it"),
      (.cycle(createdAt: site), "waits for itself"),
      (.validationFailed(value: "7", message: "odd", createdAt: site), "refused the value 7: odd"),
      (.noValue(createdAt: site), "no value"),
      (.emptyCallback(createdAt: site), "received neither a value nor an error"),
      (.emptyInput(createdAt: site), "no promise"),
      (.noneFulfilled([TestError(1), TestError(2)], createdAt: site), "too few"),
      (.timedOut(createdAt: site), "in time"),
    ])
  func description(_ error: PromiseError, _ reason: String) {
    let text = error.description
    #expect(text.contains(reason) && text.contains("Here/There.swift:7") && !text.contains("\n"), "\(text)")
  }

  @Test("The description of other errors is kept to one line, even if they contain line breaks")
  func others() {
    let error = PromiseError.noneFulfilled(["one\ntwo", TestError(3)], createdAt: Self.site)
    #expect(!error.description.contains("\n") && error.description.contains("one") && error.description.contains("3"))
  }

  @Test("The description of noneFulfilled describes the first eight errors only")
  func manyErrors() {
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

  private static let all: [(PromiseError, PromiseError.Code)] = [
    (.broken(createdAt: site), .broken), (.contextDropped(createdAt: site), .contextDropped),
    (.cycle(createdAt: site), .cycle), (.noValue(createdAt: site), .noValue),
    (.validationFailed(value: "7", message: nil, createdAt: site), .validationFailed),
    (.emptyCallback(createdAt: site), .emptyCallback), (.emptyInput(createdAt: site), .emptyInput),
    (.noneFulfilled([], createdAt: site), .noneFulfilled), (.timedOut(createdAt: site), .timedOut),
  ]

  @Test("Each error is matched by its own code and by no other code", arguments: all)
  func code(_ error: PromiseError, _ code: PromiseError.Code) {
    #expect(error.code == code && PromiseError.Code(error) == code)
    for (_, other) in Self.all { #expect((other ~= (error as any Error)) == (other == code)) }
    #expect(Set(Self.all.map(\.1)).count == Self.all.count)
  }

  @Test("A code matches its error when caught as any error, and does not match other errors")
  func caught() {
    func name(_ error: any Error) -> String {
      do { throw error } catch PromiseError.Code.timedOut { return "late" } catch { return "other" }
    }
    #expect(name(PromiseError.timedOut(createdAt: Self.site)) == "late")
    #expect(name(PromiseError.cycle(createdAt: Self.site)) == "other")
    #expect(name(TestError(1)) == "other")
    let late = Promise<Int>.rejected(PromiseError.timedOut(createdAt: Self.site))
    #expect(PromiseError.Code(late.error) == .timedOut)
    #expect(PromiseError.Code(Promise.fulfilled(1).error) == nil && PromiseError.Code(TestError(1)) == nil)
  }
}
