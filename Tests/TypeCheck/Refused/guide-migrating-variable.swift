// The variable that the handlers of the longer program in Docs/Migrating/FromPromiseKit.md share.
// modes: plain main-actor swift5 swift5-complete swift5-main
import PromiseContexts

func remember(_ new: Promise<String>) {
  var session: String?
  // expect: mutation of captured var 'session' in concurrently-executing code
  new.tap { session = $0 }
  print(session ?? "none")
}
