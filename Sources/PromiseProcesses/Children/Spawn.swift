#if os(macOS) || os(Linux)
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #endif

  /// A program that is ready to be started.
  struct Spawn {
    let path: String
    /// The name of the program first.
    let arguments: [Data]
    /// The variables with their names, as in `HOME=/root`, as C strings. They need not be text.
    let environment: [[CChar]]
    let directory: String?
    let joinsProcessGroup: Bool
    /// Whether the standard error is the same file as the standard output.
    let mergesErrorOutput: Bool

    /// Whether the system discards the exit statuses of child processes.
    static var isStatusDiscarded: Bool {
      var current = sigaction()
      // Safe, because the call writes only to the variable.
      guard unsafe sigaction(SIGCHLD, nil, &current) == 0 else { return false }
      return current.isIgnoring || current.sa_flags & SA_NOCLDWAIT != 0
    }

    /// Starts the program. Blocks until the program runs or cannot be started.
    ///
    /// This uses `posix_spawn` instead of Foundation's `Process`. On Linux, `Process` crashes if thousands of files are
    /// open. It also passes the signal mask of the calling thread to the program, and threads of Dispatch block nearly
    /// all signals.
    ///
    /// Safe, because initialised variables are destroyed, and the strings outlive the call.
    ///
    /// - Parameters:
    ///   - input: the standard input of the program, or `nil` for that of this process.
    ///   - output: the standard output of the program, or `nil` for that of this process.
    ///   - errors: the standard error of the program, or `nil` for that of this process. Not used if the standard error
    ///     is the same file as the standard output.
    func start(input: Descriptor?, output: Descriptor?, errors: Descriptor?) throws(SystemError) -> pid_t {
      #if canImport(Darwin)
        var actions: Darwin.posix_spawn_file_actions_t?
        var attributes: Darwin.posix_spawnattr_t?
      #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
      #endif
      try check(unsafe posix_spawn_file_actions_init(&actions))
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      try check(unsafe posix_spawnattr_init(&attributes))
      defer { unsafe posix_spawnattr_destroy(&attributes) }

      // To duplicate a file to its own number makes the program inherit it.
      let files = [
        (input?.number ?? STDIN_FILENO, STDIN_FILENO), (output?.number ?? STDOUT_FILENO, STDOUT_FILENO),
        // This comes last, so the output has its number by then.
        (mergesErrorOutput ? STDOUT_FILENO : errors?.number ?? STDERR_FILENO, STDERR_FILENO),
      ]
      for (file, number) in files { try check(unsafe posix_spawn_file_actions_adddup2(&actions, file, number)) }
      var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
      #if canImport(Darwin)
        if let directory { try check(unsafe posix_spawn_file_actions_addchdir_np(&actions, directory)) }
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
      #else
        if let directory {
          guard let add = unsafe CLibrary.addDirectory else { throw SystemError(ENOSYS) }
          try check(unsafe add(&actions, directory))
        }
        if let add = unsafe CLibrary.addCloseFrom { try check(unsafe add(&actions, STDERR_FILENO + 1)) }
      #endif
      if !joinsProcessGroup {
        flags |= POSIX_SPAWN_SETPGROUP
        try check(unsafe posix_spawnattr_setpgroup(&attributes, 0))
      }
      var signals = sigset_t()
      unsafe sigemptyset(&signals)
      try check(unsafe posix_spawnattr_setsigmask(&attributes, &signals))
      // The system resets caught signals itself. `SIGPIPE` is also reset if it is ignored, because servers ignore it,
      // and a program whose output is not read any more would go on.
      unsafe sigaddset(&signals, SIGPIPE)
      try check(unsafe posix_spawnattr_setsigdefault(&attributes, &signals))
      try check(unsafe posix_spawnattr_setflags(&attributes, Int16(flags)))

      let arguments = unsafe CStrings(arguments.map { $0.map(CChar.init(bitPattern:)) + [0] })
      let environment = unsafe CStrings(environment)
      var process = pid_t()
      try check(
        unsafe posix_spawn(&process, path, &actions, &attributes, arguments.pointers, environment.pointers))
      return unsafe withExtendedLifetime((arguments, environment)) { process }
    }

    private func check(_ code: Int32) throws(SystemError) {
      if code != 0 { throw SystemError(code) }
    }
  }

  /// An array of C strings that ends with a null pointer, as C functions take it.
  @unsafe private final class CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    /// - Parameter strings: characters that end with a null character.
    init(_ strings: [[CChar]]) { unsafe pointers = strings.map { unsafe strdup($0) } + [nil] }

    deinit {
      for index in unsafe pointers.indices { unsafe free(pointers[index]) }
    }
  }
#endif
