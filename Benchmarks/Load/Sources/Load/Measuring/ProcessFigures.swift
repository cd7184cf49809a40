import CLoad
import Foundation

/// The figures of the system about this process.
struct ProcessFigures {
  /// The memory that is resident, in bytes.
  var resident = 0
  /// The memory that the program has allocated and not freed, in bytes.
  var allocated = 0
  var descriptors = 0
  var threads = 0

  static var now: Self {
    var figures = Self()
    figures.allocated = allocated_bytes()
    figures.threads = entries(of: "/proc/self/task")
    // The look itself has one open.
    figures.descriptors = entries(of: "/proc/self/fd") - 1
    // The second number of this file is that of resident pages.
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii))?.split(separator: " ")
    figures.resident = (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    return figures
  }

  private static func entries(of folder: String) -> Int {
    guard let directory = opendir(folder) else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != UInt8(ascii: ".") { count += 1 }
    }
    return count
  }

  /// The file or socket of each open descriptor.
  static var openFiles: [String] {
    (3..<1_000).compactMap { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")).map { "\(number) \($0)" }
    }
  }

  /// The numbers of the threads of this process.
  static var threadNumbers: [Int32] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).compactMap { Int32($0) }
  }

  /// The size of the data and the stacks, whether they are resident or not, in bytes.
  static var dataBytes: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .ascii)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") }
    return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
  }

  /// Whether the process has children, running or not collected.
  static var hasChildren: Bool { waitpid(-1, nil, WNOHANG) != -1 }
}
