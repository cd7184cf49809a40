/// A picture of the ratios, with a bar for each ratio, a line at 1 for the baseline and a mark for each goal.
///
/// The bars begin at 0 and the scale is linear, so a bar of twice the length stands for twice the cost. A few very long
/// bars are cut.
struct Chart {
  private let report: Report
  private let bars: [Bar]
  private let scale: Scale

  static let width = 960.0
  static let margin = 20.0
  private static let head = 112.0

  init(_ report: Report) {
    self.report = report
    let outcomes = report.outcomes.filter { $0.ratio(of: .promise) != nil }
    let scale = Scale(reaching: outcomes.flatMap(\.shown).max() ?? 1)
    self.scale = scale
    bars = outcomes.reduce(into: []) { bars, outcome in
      bars.append(Bar(outcome, top: bars.last?.bottom ?? Self.head, scale: scale))
    }
  }

  var svg: String {
    let height = (bars.last?.bottom ?? Self.head) + Self.margin
    let size = "\(SVG.number(Self.width)) \(SVG.number(height))"
    let opening = [
      #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(SVG.number(Self.width))" viewBox="0 0 \#(size)" role="img" aria-labelledby="title description">"#,
      #"<title id="title">\#(SVG.escaped(title))</title>"#,
      #"<desc id="description">\#(SVG.escaped(description))</desc>"#,
      "<style>\(Self.style)</style>",
      SVG.rectangle("ground", x: 0...Self.width, y: 0, height: height),
    ]
    let axis = scale.lines(from: Self.head - 8, to: height - Self.margin)
    return (opening + heading + legend + axis + bars.flatMap(\.elements) + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private var title: String { "Promises: cost over the baseline, which is 1" }

  private var heading: [String] {
    let machine = ["date", "processor", "cores", "system", "Swift"].compactMap { name in
      report.machine[name].map { ["cores", "Swift"].contains(name) ? "\(name) \($0)" : $0 }
    }.joined(separator: " · ")
    let warning = report.mode == .quick ? " Quick run: do not quote it." : ""
    return [
      SVG.text(title, "title", x: Self.margin, y: 32),
      SVG.text(machine, "quiet", x: Self.margin, y: 52),
      SVG.text("goal", "quiet", x: Self.width - Self.margin, y: Self.head - 14, anchor: .end),
      SVG.text("Medians of interleaved rounds. Shorter is cheaper." + warning, "quiet", x: Self.margin, y: 68),
    ]
  }

  /// The legend, which stands at the right of the line with the warning.
  private var legend: [String] {
    let y = 68.0
    return [
      SVG.rectangle("promise", x: 530...550, y: y - 9, height: 9),
      SVG.text("promise", "quiet", x: 556, y: y),
      SVG.rectangle("excess", x: 626...646, y: y - 9, height: 9),
      SVG.text("beyond its goal", "quiet", x: 652, y: y),
      SVG.line("goal", x: (768, 768), y: (y - 12, y + 2)),
      SVG.text("goal", "quiet", x: 775, y: y),
      SVG.rectangle("concurrency", x: 822...842, y: y - 7, height: 5),
      SVG.text("concurrency", "quiet", x: 848, y: y),
    ]
  }

  /// A description for readers who cannot see the picture.
  private var description: String {
    bars.map(\.sentence).joined(separator: " ")
  }
}

extension Outcome {
  /// The ratios for which the chart must have room.
  fileprivate var shown: [Double] {
    [ratio(of: .promise), ratio(of: .concurrency), workload.goal].compactMap(\.self)
  }
}
