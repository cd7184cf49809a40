import Testing

@testable import PromiseProcesses

@Suite("Commands: output, input and status", .bounded) struct CommandTests {
  @Test("A program gets its arguments unchanged, and both of its outputs are collected, whatever their sizes")
  func output() async throws {
    let script = #"printf '%s|' "$@"; printf 'warning\n\n' >&2; echo"#
    let result = try await Command("sh", ["-c", script, "name", "a b", "*", "", "\"'"]).run().value
    #expect([result.program, result.text, result.errorText] == ["sh", #"a b|*||"'|"#, "warning"])
    #expect([result.output, result.errorOutput] == [Data("a b|*||\"'|\n".utf8), Data("warning\n\n".utf8)])
    #expect(result.status == 0)
    // A pipe holds far less.
    let input = Data(pattern(3_000_000))
    let large = try await Command("tee", ["/dev/stderr"]).input(input).run().value
    #expect(large.output == input)
    #expect(large.errorOutput == input)
  }

  @Test("The input can be text, a file or nothing")
  func input() async throws {
    let folder = try Folder()
    let file = try folder.write(Array("from a file".utf8), to: "in")
    #expect(try await Command("cat").input("häppy").run().value.text == "häppy")
    #expect(try await Command("cat").input("").run().value.output.isEmpty)
    #expect(try await Command("cat").input(fileAt: file).run().value.text == "from a file")
    #expect(try await Command("cat").run().value.output.isEmpty)
  }

  @Test("A program that leaves input unread causes neither an error nor SIGPIPE in the calling process")
  func unreadInput() async throws {
    let input = Data(pattern(3_000_000))
    for _ in 0..<20 {
      #expect(try await Command("head", ["-c", "1"]).input(input).run().value.output == input.prefix(1))
      #expect(try await shell("exec <&-; exit 0").input(input).run().value.output.isEmpty)
    }
  }

  @Test("A program starts in its directory, and a relative path of the program is resolved there")
  func directory() async throws {
    let folder = try Folder()
    try await tool("#!/bin/sh\npwd -P", in: folder)
    let here = folder.url.resolvingSymlinksInPath().path
    #expect(try await Command("pwd", ["-P"]).directory(folder.url).run().value.text == here)
    #expect(try await Command("./tool").directory(folder.url).run().value.text == here)
  }

  @Test("A program is searched in the absolute folders of PATH, and entries that cannot be run are skipped")
  func search() async throws {
    let first = try Folder()
    let second = try Folder()
    try FileManager.default.createDirectory(at: first.file("tool"), withIntermediateDirectories: false)
    _ = try first.write([], to: "other")
    try await tool("#!/bin/sh\necho found", in: second)
    let path = [".", first.url.path, second.url.path].joined(separator: ":")
    #expect(try await Command("tool").environment(["PATH": path]).run().value.text == "found")
    let other = Command("other").environment(["PATH": path])
    #expect(await other.failureText == "\(first.file("other").path) \(notExecutable)")
    let relative = Command("tool").environment(["PATH": "."]).directory(second.url)
    #expect(await relative.failureText == "no program \"tool\" was found in PATH (.)")
  }

  @Test("A status other than 0, or a signal, rejects with the result, the program and the end of standard error")
  func failed() async throws {
    let script = "echo out; for i in 1 2 3; do echo \"line $i\" >&2; done; exit 3"
    let result = try #require(await shell(script).run().awaitedError?.failedResult)
    #expect(result.termination == .exited(status: 3))
    #expect(result.text == "out")
    #expect("\(CommandError.failed(result))" == "/bin/sh exited with status 3: line 1 line 2 line 3")
    let killed = try #require(await shell("kill -9 $$").run().awaitedError?.failedResult)
    #expect(killed.termination == .killed(signal: SIGKILL))
    #expect(killed.status == nil)
    #expect("\(killed)" == "/bin/sh was killed by signal 9 (Killed)")
  }

  @Test("The message shows the last 200 characters of a long standard error, from white space on if it is very long")
  func longError() {
    func message(_ errors: String) -> String {
      "\(CommandResult(program: "tool", termination: .exited(status: 1), output: Data(), errorOutput: Data(errors.utf8)))"
    }
    let start = "tool exited with status 1: …"
    let zeros = message(String(repeating: "0", count: 300) + " https://user:pw@host/a?key=1\n")
    #expect(zeros.hasPrefix("\(start)000"))
    #expect(zeros.hasSuffix("0 https://host/a?…"))
    #expect(zeros.count == start.count + 200)
    let lines = String(repeating: "übel ", count: 10_000)
    #expect(message("\(lines)see https://u:pw@host/a?key=1\n").hasSuffix("übel übel see https://host/a?…"))
    #expect(message("\(lines)see https://u:pw@host/a?key=1\n").count == start.count + 200)
    let long = String(repeating: "1", count: 20_000)
    #expect(message("https://u:pw@host/a?key=\(long) the end\n") == "\(start) the end")
    #expect(message("https://u:pw@host/a?key=\(long)\n") == start)
  }

  @Test("A command can accept other statuses, or any termination")
  func accepting() async throws {
    #expect(try await shell("exit 1").accepting(0...1).run().value.status == 1)
    #expect(await shell("exit 2").accepting(0...1).run().awaitedError is CommandError)
    #expect(await shell("exit 0").accepting(1...1).run().awaitedError is CommandError)
    #expect(try await shell("exit 255").acceptingAnyTermination().run().value.status == 255)
    let killed = try await shell("kill -15 $$").acceptingAnyTermination().run().value
    #expect(killed.termination == .killed(signal: SIGTERM))
  }

  @Test("A program that cannot be started rejects with an error that names the cause")
  func notStarted() async throws {
    let folder = try Folder()
    let plain = try folder.write(Array("text".utf8), to: "plain").path
    let nothing = folder.file("nothing").path
    try await tool("#!\(nothing)\n", in: folder)
    let binary = try await tool("no program", named: "binary", in: folder)
    let (inNothing, inPlain) = (
      Command("true").directory(folder.file("nothing")), Command("true").directory(folder.file("plain"))
    )
    let readsNothing = Command("true").input(fileAt: folder.file("nothing"))
    let notPassed = "has characters that cannot be passed to a program"
    let cases: [(Command, String)] = [
      (Command("no-such-tool").environment(["PATH": "/a:/b"]), "no program \"no-such-tool\" was found in PATH (/a:/b)"),
      (Command(""), "no program \"\" was found in PATH (\(ownPath))"),
      (Command(nothing), "there is no program \"\(nothing)\""),
      (Command(plain), "\(plain) \(notExecutable)"),
      (Command(binary), "\(binary) \(notExecutable)"),
      (Command("/usr"), "/usr \(notExecutable)"),
      (Command("./tool").directory(folder.url), "\(folder.url.path)/./tool \(notExecutable)"),
      (inNothing, "no program can be started in \(nothing): it is not a directory that can be entered"),
      (inPlain, "no program can be started in \(plain): it is not a directory that can be entered"),
      (readsNothing, "\(nothing) cannot be the input of a program: No such file or directory"),
      (Command("true", ["a", "b\0c"]), "true was not started: argument 2 \(notPassed)"),
      (Command("true").environment(["A=": "1"]), "true was not started: the variable \"A=\" \(notPassed)"),
    ]
    for (command, message) in cases { #expect(await command.failureText == message) }
  }

  @Test("Output of exactly the limit is accepted, and one byte more stops the program", arguments: ["1", "2"])
  func tooLarge(_ stream: String) async throws {
    let folder = try Folder()
    let fits = try await shell("printf 12345 >&\(stream)").maximumOutputSize(5).run().value
    #expect(fits.output.count + fits.errorOutput.count == 5)
    let pidFile = folder.file("pid").path
    let error = await shell("echo $$ >'\(pidFile)'; exec yes 123456 >&\(stream)").maximumOutputSize(5).run()
      .awaitedError
    #expect(error is CommandError)
    #expect(error.map { "\($0)" } == "the output of /bin/sh is larger than the limit of 5 bytes")
    let process = try #require(await folder.numbers(in: "pid").first)
    #expect(await eventually { !exists(process) })
  }
}

/// Writes an executable file in another process. While this process has a file open for writing, a program that another
/// test starts may have it open for a moment too, and then the file cannot be run.
@discardableResult
private func tool(_ text: String, named name: String = "tool", in folder: Folder) async throws -> String {
  let path = folder.file(name).path
  _ = try await shell("cat >'\(path)'; chmod +x '\(path)'").input(text).run().value
  return path
}

private let notExecutable = "cannot be run: it is not executable, or not a program for this system"

var ownPath: String { unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "" }
