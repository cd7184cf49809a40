// S3 measures the processor time to compile a client of 200 links, for debug and release. The links form chains of 8,
// as in programs, and not one expression, because the time for each link grows with the length of an expression.

extension Workload {
  static let s3d = compiling("S3d", "debug", .debug, goal: 1.20)
  static let s3r = compiling("S3r", "release", .release, goal: 1.00)

  private static func compiling(
    _ id: String, _ name: String, _ optimization: Compiler.Optimization, goal: Double
  ) -> Workload {
    Workload(
      id: id, title: "compile 200 links, in chains of 8 map(on: serial), \(name): user time of the compiler",
      baseline: "as many queue.async, nested in the same way",
      goal: goal, pinning: .allCores, unit: "link", count: 200, quickCount: 40, rounds: (full: 3, quick: 1),
      subjects: [
        Subject(.gcd) { try Compiler.userNanoseconds(for: Client.hops($0), optimization) / Double($0) },
        Subject(.promise) { try Compiler.userNanoseconds(for: Client.links($0), optimization) / Double($0) },
      ])
  }
}
