import Foundation

/// The elements of a chart.
enum SVG {
  static func rectangle(_ kind: String, x: ClosedRange<Double>, y: Double, height: Double) -> String {
    let width = x.upperBound - x.lowerBound
    return #"<rect class="\#(kind)" x="\#(number(x.lowerBound))" y="\#(number(y))" width="\#(number(width))" "#
      + #"height="\#(number(height))"/>"#
  }

  static func line(_ kind: String, x: (from: Double, to: Double), y: (from: Double, to: Double)) -> String {
    #"<line class="\#(kind)" x1="\#(number(x.from))" y1="\#(number(y.from))" x2="\#(number(x.to))" y2="\#(number(y.to))"/>"#
  }

  /// - Parameter anchor: the part of the text that is at `x`.
  static func text(_ text: String, _ kind: String, x: Double, y: Double, anchor: Anchor = .start) -> String {
    #"<text class="\#(kind)" x="\#(number(x))" y="\#(number(y))" text-anchor="\#(anchor)">\#(escaped(text))</text>"#
  }

  enum Anchor { case start, middle, end }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  static func number(_ value: Double) -> String { value.formatted(places: 1) }
}
