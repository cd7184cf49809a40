// The snippets of Docs/Guides/NonSendableValues.md that the compiler refuses.
// modes: plain
import PromiseContexts

final class Row { var title = "" }

// expect: type 'Row' does not conform to the 'Sendable' protocol
func row() -> Promise<Row> { .fulfilled(Row()) }

// expect: capture of 'row' with non-Sendable type 'Row' in a '@Sendable' closure
func rename(_ row: Row, to title: Promise<String>) { title.tap { row.title = $0 } }
