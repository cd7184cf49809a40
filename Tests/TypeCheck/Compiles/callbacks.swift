// A callback of every shape becomes a promise without a closure (`Deferred.resolve`).
import PromiseContexts

struct Page: Sendable {}

func value(_ done: @escaping @Sendable (Page) -> Void) {}
func valueError(_ done: @escaping @Sendable (Page?, (any Error)?) -> Void) {}
func errorValue(_ done: @escaping @Sendable ((any Error)?, Page?) -> Void) {}
func two(_ done: @escaping @Sendable (Page?, Int?, (any Error)?) -> Void) {}
func result(_ done: @escaping @Sendable (Result<Page, any Error>) -> Void) {}
func nothing(_ done: @escaping @Sendable () -> Void) {}
func error(_ done: @escaping @Sendable ((any Error)?) -> Void) {}
func flag(_ done: @escaping @Sendable (Bool, (any Error)?) -> Void) {}

func promises() -> [Any] {
  [
    Promise<Page> { value($0.resolve) },
    Promise<Page> { valueError($0.resolve) },
    Promise<Page> { errorValue($0.resolve) },
    Promise<(Page, Int)> { two($0.resolve) },
    Promise<Page> { result($0.resolve) },
    Promise<Page?> { valueError($0.resolve) },
    Promise<Void> { nothing($0.resolve) },
    Promise<Void> { error($0.resolve) },
    Promise<Bool> { flag($0.resolve) },
  ]
}
