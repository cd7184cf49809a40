extension Double {
  /// Whether they are the same but for what sums of shares round off.
  func isAbout(_ other: Double) -> Bool { abs(self - other) < 1e-12 }
}
