#if os(Linux) && !canImport(Darwin)
  import Foundation

  /// Functions of the C library that Swift does not import, because they need a feature macro or have a variable number
  /// of arguments. They are looked up by name, so that the module also works with a C library that lacks them.
  ///
  /// Safe, because each type is that of the C declaration.
  enum CLibrary {
    typealias MakePipe = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
    typealias AddCloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    typealias AddDirectory =
      @convention(c) (
        UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
      ) -> Int32
    typealias SystemCall = @convention(c) (Int, Int, Int) -> Int

    /// `pipe2` makes a pipe that programs do not inherit.
    static let pipe2 = unsafe symbol("pipe2").map { unsafe unsafeBitCast($0, to: MakePipe.self) }

    /// Adds an action that closes all files from a number on. glibc has it since 2.34.
    static let addCloseFrom = unsafe symbol("posix_spawn_file_actions_addclosefrom_np")
      .map { unsafe unsafeBitCast($0, to: AddCloseFrom.self) }

    /// Adds an action that changes the directory. glibc has it since 2.29.
    static let addDirectory = unsafe symbol("posix_spawn_file_actions_addchdir_np")
      .map { unsafe unsafeBitCast($0, to: AddDirectory.self) }

    /// `syscall`, called with fixed arguments. On the processors on which Swift runs on Linux, fixed and variable
    /// arguments are passed alike.
    private static let systemCall = unsafe symbol("syscall").map { unsafe unsafeBitCast($0, to: SystemCall.self) }

    /// Returns a file that can be read as soon as a process has ended, or -1. This is `pidfd_open`, whose number is the
    /// same everywhere.
    static func processDescriptor(_ process: pid_t) -> Int32 {
      systemCall.map { Int32(truncatingIfNeeded: $0(434, Int(process), 0)) } ?? -1
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { unsafe dlsym(nil, name) }
  }
#endif
