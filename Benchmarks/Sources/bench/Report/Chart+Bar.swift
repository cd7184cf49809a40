extension Chart {
  /// The title of a workload and the bar below it.
  struct Bar {
    private let outcome: Outcome
    private let ratio: Double
    private let top: Double
    private let scale: Scale

    private var workload: Workload { outcome.workload }
    private var middle: Double { top + 24 }
    /// The ratio of Swift concurrency, or `nil` if there is none or Swift concurrency is the baseline.
    private var rival: Double? { workload.reference == .concurrency ? nil : outcome.ratio(of: .concurrency) }
    var bottom: Double { top + (rival == nil ? 40 : 50) }

    init(_ outcome: Outcome, top: Double, scale: Scale) {
      self.outcome = outcome
      ratio = outcome.ratio(of: .promise) ?? .nan
      self.top = top
      self.scale = scale
    }

    var elements: [String] {
      [
        // The ground keeps the lines of the scale from crossing the words.
        SVG.rectangle("ground", x: scale.x(0)...Chart.width, y: top, height: 16),
        SVG.text(workload.id, "id", x: Chart.margin, y: middle + 4),
        SVG.text("\(workload.title), over \(workload.baseline)", "quiet small", x: scale.x(0), y: top + 12),
      ] + promise + concurrency + goal
    }

    /// The part beyond the goal differs in its place and in the words at the right, and not only in its colour.
    private var promise: [String] {
      let end = scale.x(ratio)
      let within = scale.x(min(ratio, outcome.workload.goal ?? ratio))
      return [
        SVG.rectangle("promise", x: scale.x(0)...within, y: middle - 6, height: 12),
        end > within ? SVG.rectangle("excess", x: within...end, y: middle - 6, height: 12) : "",
        number(ratio, "strong", y: middle + 4),
      ] + cut(ratio, y: middle, height: 12)
    }

    private var concurrency: [String] {
      guard let rival else { return [] }
      let y = middle + 12
      return [
        SVG.rectangle("concurrency", x: scale.x(0)...scale.x(rival), y: y - 2.5, height: 5),
        number(rival, "quiet small", y: y + 4),
      ] + cut(rival, y: y, height: 5)
    }

    private var goal: [String] {
      guard let goal = outcome.workload.goal else { return [] }
      let x = scale.x(goal)
      return [
        SVG.line("goal", x: (x, x), y: (middle - 9, middle + 9)),
        SVG.text(
          "≤ \(goal.formatted(places: 2)) \(outcome.medianVerdict)", outcome.isMissed ? "strong" : "quiet",
          x: Chart.width - Chart.margin, y: middle + 4, anchor: .end),
      ]
    }

    /// Returns the number beside the end of the bar, where neither the baseline nor the goal crosses it.
    private func number(_ ratio: Double, _ kind: String, y: Double) -> String {
      let marks = [scale.x(1)] + (outcome.workload.goal.map { [scale.x($0)] } ?? [])
      let x = marks.sorted().reduce(scale.x(ratio) + 6) { x, mark in
        mark > x - 4 && mark < x + 32 ? mark + 6 : x
      }
      return SVG.text(ratio.formatted(places: 2), kind, x: x, y: y)
    }

    /// Returns two gaps near the end of a bar that is longer than the scale.
    private func cut(_ ratio: Double, y: Double, height: Double) -> [String] {
      guard ratio > scale.limit else { return [] }
      return [14.0, 20.0].map { back in
        let x = Scale.right - back
        return SVG.line("gap", x: (x - 3, x + 3), y: (y + height / 2 + 1, y - height / 2 - 1))
      }
    }

    var sentence: String {
      let goal = outcome.workload.goal.map { ", goal \($0.formatted(places: 2)) \(outcome.medianVerdict)" } ?? ""
      return "\(workload.id): \(ratio.formatted(places: 2))\(goal)."
    }
  }
}
