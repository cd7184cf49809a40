import Foundation

/// A line that fills up, on a terminal; nothing elsewhere.
@MainActor
final class ProgressBar {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let width = 40

  func show(_ fraction: Double) {
    let filled = Int(fraction * Double(width))
    let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    write("\r\(bar) \(Int(fraction * 100)) %")
  }

  /// Makes room for what is printed next.
  func clear() { write("\r\u{1B}[K") }

  private func write(_ text: String) {
    if isShown { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
