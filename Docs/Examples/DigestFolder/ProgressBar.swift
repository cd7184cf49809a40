import Foundation

/// A bar that fills up, on a terminal. If standard error is no terminal, it writes nothing.
@MainActor
final class ProgressBar {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let width = 40

  func show(_ fraction: Double) {
    let filled = Int(fraction * Double(width))
    let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    write("\r\(bar) \(Int(fraction * 100)) %")
  }

  /// Erases the bar, so that other output can take its place.
  func clear() { write("\r\u{1B}[K") }

  private func write(_ text: String) {
    if isShown { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
