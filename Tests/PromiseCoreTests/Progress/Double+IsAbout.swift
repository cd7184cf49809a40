extension Double {
  /// Returns whether the numbers are equal up to the rounding errors of a sum of shares.
  func isAbout(_ other: Double) -> Bool { abs(self - other) < 1e-12 }
}
