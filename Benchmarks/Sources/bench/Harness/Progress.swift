import Foundation

/// Prints on stderr which workload is running.
///
/// On a terminal each workload overwrites the line of the workload before it. Elsewhere, such as in a log of CI, there
/// is one line for each workload.
struct Progress {
  private let isTerminal = isatty(2) == 1

  func begin(_ id: String, _ title: String, number: Int, of total: Int) {
    let text = "[\(number)/\(total)] \(id): \(title)"
    write(isTerminal ? "\r\u{1B}[K\(text.prefix(100)) " : "\(text)\n")
  }

  func round(_ number: Int) {
    if isTerminal { write(number == 1 ? "·" : number.isMultiple(of: 5) ? "·" : "") }
  }

  func end() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
