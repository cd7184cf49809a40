#if os(macOS) || os(Linux)
  import CPromiseSystem
  import Foundation

  extension Command {
    /// Finds the program, and checks its arguments, its environment and its directory.
    func spawn() throws(CommandError) -> Spawn {
      try checkCharacters()
      let inherited = inheritsEnvironment ? ownEnvironment : []
      return Spawn(
        path: try path(searching: changedEnvironment["PATH"] ?? inherited.path),
        arguments: [Data(program.utf8)] + arguments,
        environment: inherited.filter { !isChanged($0) }
          + changedEnvironment.compactMap { name, value in value.map { Array("\(name)=\($0)".utf8CString) } },
        directory: directory?.path, joinsProcessGroup: joinsProcessGroup, mergesErrorOutput: mergesErrorOutput)
    }

    private func isChanged(_ entry: [CChar]) -> Bool {
      changedEnvironment.keys.contains { entry.starts(with: "\($0)=".utf8CString.dropLast()) }
    }

    private func checkCharacters() throws(CommandError) {
      var parts = [
        ("the name of the program", Data(program.utf8)), ("the directory", Data((directory?.path ?? "").utf8)),
      ]
      parts += arguments.enumerated().map { ("argument \($0 + 1)", $1) }
      parts += changedEnvironment.map { ("the variable \($0)", Data("\($0)\($1 ?? "")".utf8)) }
      let wrong = parts.first { $0.1.contains(0) }?.0
      let wrongName = changedEnvironment.keys.first { $0.isEmpty || $0.contains("=") }.map { "the variable \"\($0)\"" }
      guard let part = wrong ?? wrongName else { return }
      throw .notRepresentable(program: program.replacing("\0", with: "�"), part: part.replacing("\0", with: "�"))
    }

    /// - Parameter path: the value of `PATH`.
    private func path(searching path: String?) throws(CommandError) -> String {
      if program.contains("/") {
        guard !program.hasPrefix("/"), let directory else { return program }
        return directory.appendingPathComponent(program).path
      }
      let path = path ?? "/usr/bin:/bin"
      var refused: String?
      for folder in path.split(separator: ":") where folder.hasPrefix("/") {
        let candidate = "\(folder)/\(program)"
        guard !program.isEmpty, let isDirectory = isDirectory(candidate), !isDirectory else { continue }
        if unsafe access(candidate, X_OK) == 0 { return candidate }
        refused = refused ?? candidate
      }
      throw refused.map { .notExecutable($0) } ?? .programNotFound(program, path: path)
    }

    /// Returns the error of the command for an error of the system that prevented its start.
    func error(_ error: SystemError, starting spawn: Spawn) -> CommandError {
      if let directory = spawn.directory {
        let isEntered = unsafe access(directory, X_OK) == 0 && isDirectory(directory) == true
        if !isEntered { return .noDirectory(directory) }
      }
      return switch error.code {
      case ENOENT, ENOTDIR:
        // The system reports a missing interpreter of a script as a missing file.
        isDirectory(spawn.path) == nil ? .programNotFound(spawn.path, path: nil) : .notExecutable(spawn.path)
      case EACCES, ENOEXEC, EPERM: .notExecutable(spawn.path)
      default: .notStarted(program: program, code: error.code)
      }
    }

    /// Opens the standard input, without waiting for another process.
    ///
    /// - Parameter isWritten: whether a client can write a streamed input.
    func openInput(isWritten: Bool) throws -> ProgramInput {
      switch source {
      case .streamed where !isWritten, .nothing: return ProgramInput(reading: try Descriptor("/dev/null", O_RDONLY))
      case .inherited: return ProgramInput(reading: try .replacingMissing(STDIN_FILENO))
      case .data, .streamed, .output:
        let (reading, writing) = try Descriptor.pipe()
        return ProgramInput(reading: reading, writing: writing)
      case .file(let file):
        do { return try ProgramInput(fileAt: file) } catch {
          throw CommandError.inputNotReadable(file.path, code: error.code)
        }
      }
    }
  }

  /// The open standard input of a program.
  struct ProgramInput {
    /// The program's end, or `nil` if the program inherits the standard input of this process.
    let reading: Descriptor?
    /// The other end of a pipe.
    var writing: Descriptor?
    /// Whether it is a named pipe. The program must not start before another process has opened the named pipe for
    /// writing, because it would find the end of its input at once.
    var isNamedPipe = false
  }

  extension ProgramInput {
    fileprivate init(fileAt file: URL) throws(SystemError) {
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
      let type = attributes?[.type] as? FileAttributeType
      guard type != .typeRegular else {
        reading = try Descriptor(file.path, O_RDONLY)
        return
      }
      // Without the flag, the call waits until a named pipe has a writer, and some devices have a connection.
      let opened = try Descriptor(file.path, O_RDONLY | O_NONBLOCK)
      opened.makeBlocking()
      reading = opened
      // Foundation does not know named pipes.
      isNamedPipe = type == .typeUnknown
    }
  }

  /// The entries of the environment of this process as C strings. They need not be text.
  ///
  /// `ProcessInfo` is not used, because it changes entries that are not valid UTF-8.
  private var ownEnvironment: [[CChar]] {
    // Safe, because the array of the C library ends with a null pointer, and each entry is copied up to its end.
    // Another thread must not change the environment meanwhile, as for `getenv`.
    guard let entries = unsafe promise_environment() else { return [] }
    var copies: [[CChar]] = []
    while let entry = unsafe entries[copies.count] {
      unsafe copies.append(Array(UnsafeBufferPointer(start: entry, count: strlen(entry) + 1)))
    }
    return copies
  }

  extension [[CChar]] {
    /// The value of `PATH`.
    fileprivate var path: String? {
      let name = "PATH=".utf8CString.dropLast()
      return first { $0.starts(with: name) }.map {
        String(decoding: $0.dropFirst(name.count).dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
  }

  /// Returns whether the file is a directory, or `nil` if it does not exist.
  private func isDirectory(_ path: String) -> Bool? {
    var isDirectory: ObjCBool = false
    // Safe, because the call writes only to the variable.
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) ? isDirectory.boolValue : nil
  }
#endif
