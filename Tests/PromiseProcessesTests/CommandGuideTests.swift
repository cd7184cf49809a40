import PromiseGates
import PromiseProcesses
import Testing

/// Runs the code of Docs/Guides/Processes.md, and of comments, about the end of programs.
@Suite("Documents: Programs and signals, the end of a program", .bounded) struct CommandGuideTests {
  @Test("A client waits for the end of a program as the guide shows")
  func ends() async throws {
    let folder = try Folder()
    // Another process writes the files. While this process has a file open for writing, a program that another test
    // starts may have it open too, and then the file cannot be run.
    let script = "cat >'\(folder.file("deploy").path)'; cd '\(folder.url.path)'; chmod +x deploy; cp deploy fetch"
    _ = try await shell(script).input("#!/bin/sh\necho \"$1\"\n").run().value
    let project = folder.url
    let version = "1.0"

    let deploying = SerialGate()
    let deployed = deploying.asyncRun { try await Command("./deploy", [version]).directory(project).runToEnd() }
    #expect(try await deployed.value.text == "1.0")

    let news = Promise.retry(attempts: 3, until: .finished) {
      Command("./fetch", ["news"]).directory(project).run().timeout(.seconds(60))
    }
    #expect(try await news.value.text == "news")
  }

  @Test("Output is streamed and piped as the guide shows")
  func streams() async throws {
    let folder = try Folder()
    // Another process writes the files, for the reason above.
    let script = """
      cd '\(folder.url.path)'
      echo 'echo start; echo "warning: unused"; echo end' >build
      echo 'echo b; echo a; echo b' >authors
      for file in build authors; do { echo '#!/bin/sh'; cat $file; } >new; cat new >$file; chmod +x $file; done
      """
    _ = try await shell(script).run().value
    let project = folder.url

    func warnings() async throws -> [String] {
      let build = Command("./build", ["--verbose"]).directory(project).output(.streamed).start()
      defer { build.result.cancel() }
      var warnings: [String] = []
      for try await line in build.output.lines where line.hasPrefix("warning: ") { warnings.append(line) }
      _ = try await build.result.value
      return warnings
    }
    #expect(try await warnings() == ["warning: unused"])

    let names = Command("./authors").directory(project).piped(to: Command("sort", ["-u"])).run()
      .map { result in result.text }
    #expect(try await names.value == "a\nb")

    let log = Log<String>()
    let command = Command("printf", ["a\\nb"]).output(.streamed).start()
    try await Promise.forEach(command.output.lines) { line in Promise<Void>.run { log.append(line) } }.value
    #expect(log.entries == ["a", "b"])
  }

  @Test("A program is told to reload by a signal as the guide shows")
  func reloads() async {
    // This test runs in a process of its own, because the programs of a process that was started with `nohup` ignore
    // the signal.
    await #expect(processExitsWith: .success) {
      signal(SIGHUP, SIG_DFL)
      let folder = try Folder()
      // Another process writes the file, for the reason above.
      let script = """
        cd '\(folder.url.path)'
        { echo '#!/bin/sh'; echo "trap 'echo reloaded; exit' HUP"; echo 'echo listening on $2'
          echo 'while :; do sleep 0.01; done'; } >server
        chmod +x server
        """
      _ = try await shell(script).run().value
      let project = folder.url

      let server = Command("./server", ["--port", "8080"]).directory(project).output(.streamed).start()
      for try await line in server.output.lines where line.hasPrefix("listening") { break }
      server.send(signal: SIGHUP)
      // Without its trap, the signal would end the program with another status.
      #expect(try await server.result.value.status == 0)
      exit(EXIT_SUCCESS)
    }
  }

  @Test("Names that are no text, and a conversation, work as the guide shows")
  func conversation() async throws {
    let folder = try Folder()
    let project = folder.url
    let script = "while read -r question; do echo \"answer to $question\"; done"
    let written = "printf '#!/bin/sh\\n%s\\n' \"$1\" >new; cat new >calculator; chmod +x calculator; touch 'a b.log'"
    _ = try await Command("sh", ["-c", written, "sh", script]).directory(project).run().value

    let find = Command("find", [".", "-name", "*.log", "-print0"]).directory(project).output(.streamed).start()
    defer { find.result.cancel() }
    for try await name in find.output.pieces(separatedBy: 0) {
      _ = try await Command("gzip", ["--"]).arguments([name]).directory(project).runToEnd()
    }
    #expect(try folder.names.contains("a b.log.gz"))

    let calculator = Command("./calculator").directory(project).input(.streamed).output(.streamed).start()
    defer { calculator.result.cancel() }
    var answers = calculator.output.lines.makeAsyncIterator()
    try await calculator.input.write("6 * 7\n").value
    let answer = try await answers.next()
    calculator.input.close()
    #expect(answer == "answer to 6 * 7")
    #expect(try await calculator.result.value.status == 0)
  }

  /// This function is never called, because there is no such server.
  private func unreachable(_ address: String, _ version: String, _ gate: SerialGate) {
    let deployed = gate.asyncRun { try await Command("deploy", [version]).runToEnd() }
    withExtendedLifetime(deployed) {}
    let names: [Data] = []
    let packed = Command("gzip", ["--keep", "--"]).arguments(names).run()
    let project = URL(filePath: version)
    let status = Command("git", ["status"]).environment(["LANG": "C", "GIT_DIR": nil]).directory(project).run()
    let log = Command("make", ["all"]).directory(project).mergingErrorOutput().acceptingAnyTermination().run()
      .map { result in result.text }
    withExtendedLifetime((packed, status, log)) {}
    let fetch = Command("curl", ["--silent", address]).start()
    let page = fetch.result.timeout(.seconds(60)).map { result in result.text }
    fetch.end.onFulfilled { print("curl has ended, and the processes that it has started") }
    withExtendedLifetime(page) {}
  }

  /// This function is never called, because it would build the package.
  private func expensive(_ server: RunningCommand, _ log: RunningCommand) async throws {
    let build = Command("swift", ["build"]).output(.streamed).errorOutput(.inherited).start()
    defer { build.result.cancel() }
    for try await line in build.output.lines { print(line) }
    let result = try await build.result.value
    let calculator = Command("bc").input(.streamed).output(.streamed).start()
    defer { calculator.result.cancel() }
    var answers = calculator.output.lines.makeAsyncIterator()
    try await calculator.input.write("6 * 7\n").value
    let answer = try await answers.next()
    calculator.input.close()
    withExtendedLifetime(answer) {}
    let authors = Command("git", ["log", "--format=%an"]).piped(to: Command("sort", ["-u"])).run()
    for try await line in log.output.lines { print(line) }
    server.send(signal: SIGHUP)
    withExtendedLifetime((result, authors)) {}
  }
}
