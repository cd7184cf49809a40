// As clients do who throw strings: the very case that broke a library that looks at dynamic types (rule 1.4). Here, because
// all test targets share one process, and a conformance may be declared once.
// swift-format-ignore: AvoidRetroactiveConformances
extension String: @retroactive Error {}
