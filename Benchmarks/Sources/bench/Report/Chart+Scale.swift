extension Chart {
  /// Maps ratios to horizontal positions.
  struct Scale {
    /// The ratio at the right end. Longer bars are cut there.
    let limit: Double

    private static let left = 64.0
    static let right = Chart.width - 230

    init(reaching highest: Double) { limit = min(max(highest * 1.1, 1.5), 4.4) }

    func x(_ ratio: Double) -> Double { Self.left + min(ratio, limit) / limit * (Self.right - Self.left) }

    /// Returns a thin line at each step of the scale, and a stronger line at 1.
    func lines(from top: Double, to bottom: Double) -> [String] {
      stride(from: 0, through: limit, by: limit > 2.5 ? 1 : 0.5).flatMap { ratio in
        let isBaseline = ratio == 1
        return [
          SVG.line(isBaseline ? "baseline" : "step", x: (x(ratio), x(ratio)), y: (top, bottom)),
          SVG.text(
            isBaseline ? "1 = baseline" : ratio.formatted(places: limit > 2.5 ? 0 : 1), isBaseline ? "strong" : "quiet",
            x: x(ratio), y: top - 6, anchor: .middle),
        ]
      }
    }
  }
}
