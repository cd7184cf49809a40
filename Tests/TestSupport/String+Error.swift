// Some clients throw strings. Such errors break a library that inspects dynamic types (rule 1.4). The conformance is
// declared here once, because all test targets share one process.
// swift-format-ignore: AvoidRetroactiveConformances
extension String: @retroactive Error {}
