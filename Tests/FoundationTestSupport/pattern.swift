/// Returns bytes of which each differs from its neighbours.
package func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
  (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
}
