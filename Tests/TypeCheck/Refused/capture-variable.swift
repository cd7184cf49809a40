// A variable of the caller cannot be changed by a handler, which runs later and elsewhere.
// modes: plain main-actor swift5 swift5-complete swift5-main
import PromiseContexts

func sum(_ promise: Promise<Int>) {
  var total = 0
  // expect: mutation of captured var 'total' in concurrently-executing code
  promise.tap { total += $0 }
  print(total)
}
