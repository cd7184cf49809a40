extension Chart {
  /// The style of the chart. It has a ground of its own, because a page may be lighter or darker than the colour scheme
  /// of the reader's system. A viewer that does not support colour schemes draws the light version.
  static let style = """

    text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px; fill: #1f2328; }
    .title { font-size: 18px; font-weight: bold; }
    .id, .strong { font-weight: bold; }
    .small { font-size: 11px; }
    .quiet { fill: #59636e; }
    .ground { fill: #ffffff; }
    .promise { fill: #2f6fde; }
    .excess { fill: #d9480f; }
    .concurrency { fill: #8c959f; }
    .step { stroke: #d8dee4; }
    .baseline { stroke: #1f2328; stroke-width: 1.5; }
    .goal { stroke: #1f2328; stroke-width: 3; }
    .gap { stroke: #ffffff; stroke-width: 2; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .quiet { fill: #9aa4af; }
      .ground { fill: #0d1117; }
      .promise { fill: #4d8dff; }
      .excess { fill: #ff8a4c; }
      .concurrency { fill: #7d8590; }
      .step { stroke: #2b313a; }
      .baseline, .goal { stroke: #e6edf3; }
      .gap { stroke: #0d1117; }
    }

    """
}
