// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func main(_ add: Adding) {
    add("recover(on:_:)", false) { start, probe in start.recover(on: .main) { probe.noteOnMain($0, 7) } }
    add("recover(from:on:_:)", false) { start, probe in
      start.recover(from: ParcelError.self, on: .main) { probe.noteOnMain($0, 7) }
    }
    add("recoverFailure(on:_:)", false) { start, probe in start.recoverFailure(on: .main) { probe.noteOnMain($0, 7) } }
    add("rescue(on:_:)", false) { start, probe in start.rescue(on: .main) { probe.noteOnMain($0, .fulfilled(7)) } }
    add("rescue(from:on:_:)", false) { start, probe in
      start.rescue(from: ParcelError.self, on: .main) { probe.noteOnMain($0, .fulfilled(7)) }
    }
    add("rescueFailure(on:_:)", false) { start, probe in
      start.rescueFailure(on: .main) { probe.noteOnMain($0, .fulfilled(7)) }
    }
    add("catch(on:_:)", false) { start, probe in start.catch(on: .main) { probe.noteOnMain($0) } }
    add("catch(only:where:on:_:)", false) { start, probe in
      start.catch(only: ParcelError.self, on: .main) { probe.noteOnMain($0) }
    }
    add("catchThen(on:_:)", false) { start, probe in
      start.catchThen(on: .main) { probe.noteOnMain($0, Promise.fulfilled(7)) }
    }
    add("catchFailure(on:_:)", false) { start, probe in start.catchFailure(on: .main) { probe.noteOnMain($0) } }
    add("catchFailure(only:where:on:_:)", false) { start, probe in
      start.catchFailure(only: ParcelError.self, on: .main) { probe.noteOnMain($0) }
    }
    add("markCancelled(on:_:)", false) { start, probe in start.markCancelled(on: .main) { probe.noteOnMain($0, false) }
    }
    add("mapError(on:_:)", false) { start, probe in start.mapError(on: .main) { probe.noteOnMain($0, ParcelError(7)) } }
    add("mapError(from:on:_:)", false) { start, probe in
      start.mapError(from: ParcelError.self, on: .main) { probe.noteOnMain($0, ParcelError(7)) }
    }
    add("map(on:to:weight:_:)", false) { start, probe in
      start.map(on: .main, to: Parcel.self, weight: 3) { probe.noteOnMain($0, 7) }
    }
    add("then(on:to:weight:_:)", false) { start, probe in
      start.then(on: .main, to: Parcel.self, weight: 3) { probe.noteOnMain($0, .fulfilled(7)) }
    }
    add("map(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.map(
        on: .main, to: Parcel.self, weight: 3, fulfilled: { probe.noteOnMain($0, 7) },
        rejected: { probe.noteOnMain($0, 7) })
    }
    add("then(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.then(
        on: .main, to: Parcel.self, weight: 3, fulfilled: { probe.noteOnMain($0, .fulfilled(7)) },
        rejected: { probe.noteOnMain($0, .fulfilled(7)) })
    }
    add("tap(on:_:)", false) { start, probe in start.tap(on: .main) { probe.noteOnMain($0) } }
    add("tapThen(on:weight:_:)", false) { start, probe in
      start.tapThen(on: .main, weight: 3) { probe.noteOnMain($0, Promise.fulfilled(7)) }
    }
    add("always(on:_:)", false) { start, probe in start.always(on: .main) { probe.noteOnMain($0) } }
    add("alwaysThen(on:_:)", false) { start, probe in
      start.alwaysThen(on: .main) { probe.noteOnMain($0, Promise.fulfilled(7)) }
    }
    add("validate(on:message:error:_:)", false) { start, probe in
      start.validate(on: .main) { probe.noteOnMain($0, false) }
    }
    add("compactMap(on:to:weight:_:)", false) { start, probe in
      start.compactMap(on: .main, to: Parcel.self, weight: 3) { probe.noteOnMain($0, Optional(7)) }
    }
    add("onFulfilled(on:_:)", false) { start, probe in start.onFulfilled(on: .main) { probe.noteOnMain($0) } }
    add("onRejected(on:_:)", false) { start, probe in start.onRejected(on: .main) { probe.noteOnMain($0) } }
    add("onRejected(only:where:on:_:)", false) { start, probe in
      start.onRejected(only: ParcelError.self, on: .main) { probe.noteOnMain($0) }
    }
    add("onFailed(on:_:)", false) { start, probe in start.onFailed(on: .main) { probe.noteOnMain($0) } }
    add("onSettled(on:_:)", false) { start, probe in start.onSettled(on: .main) { probe.noteOnMain($0) } }
    add("init(on:_:)", false) { _, probe in Promise<Parcel>(on: .main) { $0.fulfill(probe.noteOnMain("", 7)) } }
    add("run(on:_:)", false) { _, probe in Promise<Parcel>.run(on: .main) { probe.noteOnMain("", 7) } }
    add("asyncMap(priority:to:weight:_:)", true) { start, probe in
      start.asyncMap(on: .main, priority: nil, to: Parcel.self, weight: 3) { probe.noteOnMain($0, 7) }
    }
    add("asyncTap(priority:weight:_:)", true) { start, probe in
      start.asyncTap(on: .main, priority: nil, weight: 3) { probe.noteOnMain($0) }
    }
    add("asyncAlways(priority:_:)", true) { start, probe in
      start.asyncAlways(on: .main, priority: nil) { probe.noteOnMain($0) }
    }
    add("asyncRecover(priority:_:)", true) { start, probe in
      start.asyncRecover(on: .main, priority: nil) { probe.noteOnMain($0, 7) }
    }
    add("asyncRecover(from:priority:_:)", true) { start, probe in
      start.asyncRecover(from: ParcelError.self, on: .main, priority: nil) { probe.noteOnMain($0, 7) }
    }
    add("onProgress(on:_:)", false) { start, probe in start.onProgress(on: .main) { probe.noteOnMain($0) } }
  }
}
