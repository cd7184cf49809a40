import Testing

@testable import bench

@Suite("The command line of the benchmark")
struct OptionsTests {
  @Test("A command line without arguments selects all workloads in full mode")
  func all() throws {
    let options = try Options([])
    #expect(options.mode == .full)
    #expect(options.workloads.map(\.id) == Workload.all.map(\.id))
    #expect(options.gauges.map(\.id) == ["M1", "M2", "M3", "S1", "S2"])
  }

  @Test("Names select workloads in any case and order, and the selection keeps the order of the list")
  func names() throws {
    let options = try Options(["--quick", "s1", "w4P", "W1"])
    #expect(options.mode == .quick)
    #expect(options.workloads.map(\.id) == ["W1", "W4p"])
    #expect(options.gauges.map(\.id) == ["S1"])
  }

  @Test("A name that is no id selects all ids that continue it with a letter")
  func family() throws {
    #expect(try Options(["W12"]).workloads.map(\.id) == ["W12o", "W12a"])
    #expect(try Options(["w13a8", "w12o"]).workloads.map(\.id) == ["W12o", "W13a8"])
    #expect(try Options(["W13"]).workloads.map(\.id) == ["W13n2", "W13o2", "W13a2", "W13n8", "W13o8", "W13a8"])
    #expect(try Options(["S3"]).workloads.map(\.id) == ["S3d", "S3r"])
    #expect(try Options(["W14", "w15"]).workloads.map(\.id) == ["W14", "W15"])
    #expect(try Options(["W1"]).workloads.map(\.id) == ["W1"])
    #expect(message(["W"])?.hasPrefix("unknown workload W; known: ") == true)
  }

  @Test("The option --rounds sets the number of rounds, which must not be zero")
  func rounds() throws {
    #expect(try Options(["--rounds", "3"]).rounds == 3)
    #expect(try Options([]).rounds == nil)
    #expect(message(["--rounds", "0"]) == "--rounds needs a number")
  }

  @Test("The number of processes, a share of them, and the program of another commit can be given")
  func processes() throws {
    #expect(try Options(["--processes", "3"]).processes == 3)
    #expect(try Options(["--share", "2/3"]).share == Share(number: 2, count: 3))
    #expect(try Options(["--base", "a/bench"]).base?.program == "a/bench")
    #expect(try Options([]).base == nil)
  }

  @Test("A gauge cannot be compared with the program of another commit")
  func comparedGauge() throws {
    #expect(message(["--base", "a/bench", "W1", "M1"]) == "M1 is not timed: --base compares times")
    #expect(try !Options(["--base", "a/bench"]).gauges.isEmpty)
  }

  @Test("The error for an unknown workload names it and lists the known workloads")
  func unknown() {
    #expect(message(["W99"])?.hasPrefix("unknown workload W99; known: W1 ") == true)
    #expect(message(["W1", "M9"])?.hasSuffix(" M1 M2 M3 S1 S2") == true)
  }

  @Test("The option --subject selects the workloads that have the subject, and no gauge")
  func subject() throws {
    let options = try Options(["--subject", "gcd-nested"])
    #expect(options.workloads.map(\.id) == ["W2", "W3"])
    #expect(options.workloads.allSatisfy { $0.subjects.map(\.name) == [.gcdNested] })
    #expect(options.gauges.isEmpty)
  }

  @Test("A requested workload without the requested subject is an error")
  func missingSubject() {
    #expect(message(["--subject", "gcd-nested", "W4"]) == "W4 has no subject gcd-nested; it has: gcd, promise")
    #expect(message(["--subject", "promise", "M1"]) == "M1 is not timed: it has no subjects")
  }

  @Test(
    "A malformed argument is an error",
    arguments: [
      ["--subject"], ["--subject", "x"], ["--output"], ["--rounds"], ["--rounds", "x"], ["--fast"], ["--base"],
      ["--processes"], ["--processes", "0"], ["--share"], ["--share", "5/4"],
    ])
  func senseless(arguments: [String]) {
    #expect(message(arguments) != nil)
  }

  /// Returns the message of a usage error, or `nil` if there is no error.
  private func message(_ arguments: [String]) -> String? {
    do {
      _ = try Options(arguments)
      return nil
    } catch BenchError.usage(let what) {
      return what
    } catch {
      return nil
    }
  }
}
