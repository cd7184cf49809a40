import Testing

@testable import PromiseProcesses

@Suite("Commands: inheritance and many programs", .bounded) struct CommandInheritanceTests {
  @Test("200 programs run at the same time, and all of their statuses are collected")
  func many() async throws {
    let folder = try Folder.withFifo()
    let fifo = folder.fifo
    // Each program waits until the test opens the fifo, so that all of them run at the same time.
    let started = Log<Int>()
    let results = (0..<200).map { number in
      shell("echo $$ >>'\(folder.file("pids").path)'; read line <'\(fifo)'; echo \(number) $$").run()
        .tap { _ in started.append(number) }
    }
    #expect(
      await eventually {
        ((try? String(contentsOf: folder.file("pids"), encoding: .utf8))?.split(separator: "\n").count ?? 0) == 200
      })
    #expect(started.entries.isEmpty)
    let gate = unsafe open(fifo, O_RDWR)
    close(gate)
    for (number, result) in results.enumerated() {
      let words = try await result.value.text.split(separator: " ").compactMap { Int32($0) }
      try #require(words.count == 2)
      #expect(words[0] == Int32(number))
      #expect(!exists(words[1]))
    }
  }

  #if os(Linux)
    @Test("An ignored signal stays ignored in the program, except SIGPIPE, and other signals have their default action")
    func signals() async {
      // This test runs in a process of its own, because it changes the actions of signals.
      await #expect(processExitsWith: .success) {
        signal(SIGHUP, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGUSR1) { _ in }
        let promise = Promise.signal(SIGUSR2)
        let status = Command("cat", ["/proc/self/status"])
        let text = try await status.run().value.text
        let own = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        #expect(mask("SigIgn", in: own).contains(SIGPIPE))
        #expect(mask("SigCgt", in: own).isSuperset(of: [SIGUSR1, SIGUSR2]))
        #expect(mask("SigIgn", in: text) == mask("SigIgn", in: own).subtracting([SIGPIPE]))
        #expect(mask("SigIgn", in: text).contains(SIGHUP))
        #expect(mask("SigBlk", in: text) == [])
        promise.cancel()
        exit(EXIT_SUCCESS)
      }
    }

    @Test("A program of a tool that ignores hangups, as nohup makes it, survives a hangup")
    func hangup() async {
      // This test runs in a process of its own, because it changes the action of a signal.
      await #expect(processExitsWith: .success) {
        let hangUp = shell("kill -HUP $$; echo survived")
        signal(SIGHUP, SIG_DFL)
        #expect(await hangUp.run().awaitedError?.failedResult?.termination == .killed(signal: SIGHUP))
        signal(SIGHUP, SIG_IGN)
        let text = try await hangUp.run().value.text
        #expect(text == "survived")
        exit(EXIT_SUCCESS)
      }
    }

    @Test("A process that ignores SIGCHLD starts no program, and the error says why")
    func ignoredChildren() async {
      // This test runs in a process of its own, because it changes the action of a signal.
      await #expect(processExitsWith: .success) {
        let folder = try Folder()
        let marker = folder.file("marker").path
        let command = shell("echo 1 >'\(marker)'")
        let text = "/bin/sh was not started: this process ignores SIGCHLD, so the system keeps no exit status for it"
        signal(SIGCHLD, SIG_IGN)
        let ignored = await command.failureText
        var action = sigaction()
        action.sa_flags = SA_NOCLDWAIT
        #expect(unsafe sigaction(SIGCHLD, &action, nil) == 0)
        let discarded = await command.failureText
        let piped = await Command("true").piped(to: command).failureText
        #expect(ignored == text)
        #expect(discarded == text)
        #expect(piped?.contains("SIGCHLD") == true)
        #expect(!FileManager.default.fileExists(atPath: marker))
        signal(SIGCHLD, SIG_DFL)
        #expect(await command.failureText == nil)
        exit(EXIT_SUCCESS)
      }
    }

    @Test("A program that inherits a closed standard file has /dev/null in its place")
    func closedFiles() async {
      // This test runs in a process of its own, because it closes the standard files.
      await #expect(processExitsWith: .success) {
        let links = try await linksWithoutStandardFiles {}
        #expect(links == ["/dev/null", "/dev/null", "/dev/null"])
        exit(EXIT_SUCCESS)
      }
    }

    @Test("A program does not inherit a file of the calling process that has the number of a closed standard file")
    func reusedNumbers() async {
      // This test runs in a process of its own, because it closes the standard files.
      await #expect(processExitsWith: .success) {
        let folder = try Folder()
        let file = try folder.write([], to: "private")
        let links = try await linksWithoutStandardFiles {
          // Files of libraries are opened in this way, so that no child process inherits them.
          for _ in 0..<3 { _ = unsafe open(file.path, O_RDWR | O_CLOEXEC) }
        }
        #expect(links == ["/dev/null", "/dev/null", "/dev/null"])
        exit(EXIT_SUCCESS)
      }
    }

    @Test("A program inherits only its standard files, even if thousands of files are open")
    func descriptors() async throws {
      let files = (0..<5_000).map { _ in unsafe open("/dev/null", O_RDONLY) }
      defer { for file in files where file >= 0 { close(file) } }
      try #require(files.allSatisfy { $0 >= 0 })
      let list = Command("ls", ["/proc/self/fd"])
      let inheriting = list.input(.inherited).errorOutput(.inherited)
      let piped = list.errorOutput(.discarded).piped(to: Command("cat"))
      for command in [list, inheriting, piped, Command("true").piped(to: list)] {
        // `ls` itself opens the fourth descriptor to read the folder.
        #expect(try await command.run().value.text.split(separator: "\n") == ["0", "1", "2", "3"])
      }
    }

    // This test runs in a process of its own, because it counts the descriptors of the process.
    @Test("Commands leave no descriptor of the calling process open", arguments: [false, true])
    func closed(_ usesThread: Bool) async {
      await #expect(processExitsWith: .success) { [usesThread] in
        let exit = usesThread ? ExitObservation.thread : .descriptor
        // Descriptors that the first command opens permanently do not count.
        _ = try await Command("cat").input("text").run(observingExitBy: exit).value
        let before = try openDescriptors()
        for _ in 0..<20 { _ = try await Command("cat").input("text").run(observingExitBy: exit).value }
        for _ in 0..<20 { _ = await Command("/no/such/tool").input("text").run(observingExitBy: exit).awaitedError }
        for _ in 0..<20 {
          let streamed = Command("cat").input("text").output(.streamed).errorOutput(.streamed).start(
            observingExitBy: exit)
          for try await chunk in streamed.output where !chunk.isEmpty { break }
          let missing = Command("cat").piped(to: Command("/no/such/tool")).output(.streamed).start(
            observingExitBy: exit)
          let piped = Command("cat").input("text").piped(to: Command("cat")).errorOutput(.discarded)
          let cancelled = Command("sleep", ["1000"]).piped(to: Command("cat")).start(observingExitBy: exit)
          cancelled.result.cancel()
          for command in [streamed, missing, piped.start(observingExitBy: exit), cancelled] {
            _ = await command.end.awaitedError
          }
        }
        #expect(await eventually { (try? openDescriptors()) ?? .max <= before })
      }
    }
  #endif
}

#if os(Linux)
  /// Returns the signals of a mask in the text of `/proc/self/status`. Signals 32 and 33 belong to the C library.
  private func mask(_ name: String, in status: String) -> Set<Int32> {
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    let bits = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) } ?? 0
    return Set((1...64).filter { bits >> UInt64($0 - 1) & 1 == 1 }).subtracting([32, 33])
  }

  /// Closes the standard files, and returns the names of the files that a program inherits in their place.
  ///
  /// - Parameter open: opens files, which get the numbers of the standard files.
  private func linksWithoutStandardFiles(_ open: () -> Void) async throws -> [String] {
    let folder = try Folder()
    let standard: [Int32] = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    let former = standard.map { fcntl($0, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
    for number in standard { close(number) }
    open()
    // Written with a redirection of its own, which must not replace a file before the script reads its link.
    let file = folder.file("links").path
    let script = "for number in 0 1 2; do link=$(readlink /proc/$$/fd/$number); echo $link >>'\(file)'; done"
    let failure = await shell(script).input(.inherited).output(.inherited).errorOutput(.inherited).run().awaitedError
    for (number, copy) in zip(standard, former) { dup2(copy, number) }
    if let failure { throw failure }
    return String(decoding: try folder.bytes(of: "links"), as: UTF8.self).split(separator: "\n").map(String.init)
  }
#endif
