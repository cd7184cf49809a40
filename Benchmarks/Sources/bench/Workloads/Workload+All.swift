extension Workload {
  /// All workloads, in the order in which they run and are reported. Workloads that leave much memory behind come last.
  static let all: [Workload] = [
    .w1, .w2, .w3,
    .w1p, .w2p, .w3p,
    .w4, .w4b, .w4p, .w4w,
    .w5,
    .w8, .w8p,
    .w9,
    .w10, .w11,
    .w12o, .w12a,
    .w13n2, .w13o2, .w13a2,
    .w13n8, .w13o8, .w13a8,
    .w14, .w15,
    .w7, .w7p, .w7s, .w7sp,
    .w6, .w6s,
    .s3d, .s3r,
  ]
}
