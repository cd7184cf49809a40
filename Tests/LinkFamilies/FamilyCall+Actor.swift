// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func actor(_ add: Adding) {
    add("recover(on:fileID:line:_:)", false) { start, probe in
      start.recover(isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
        return 7
      }
    }
    add("recover(from:on:fileID:line:_:)", false) { start, probe in
      start.recover(from: ParcelError.self, isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
        return 7
      }
    }
    add("rescue(on:fileID:line:_:)", false) { start, probe in
      start.rescue(isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
        return .fulfilled(7)
      }
    }
    add("rescue(from:on:fileID:line:_:)", false) { start, probe in
      start.rescue(from: ParcelError.self, isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
        return .fulfilled(7)
      }
    }
    add("catch(on:fileID:line:_:)", false) { start, probe in
      start.catch(isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
      }
    }
    add("catch(only:on:fileID:line:_:)", false) { start, probe in
      start.catch(only: ParcelError.self, isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
      }
    }
    add("catchFailure(on:fileID:line:_:)", false) { start, probe in
      start.catchFailure(isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
      }
    }
    add("mapError(on:fileID:line:_:)", false) { start, probe in
      start.mapError(isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
        return ParcelError(7)
      }
    }
    add("mapError(from:on:fileID:line:_:)", false) { start, probe in
      start.mapError(from: ParcelError.self, isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
        return ParcelError(7)
      }
    }
    add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
      start.map(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { actor, value in
        actor.note("\(value)")
        return 7
      }
    }
    add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
      start.then(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { actor, value in
        actor.note("\(value)")
        return .fulfilled(7)
      }
    }
    add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
      start.map(
        isolatedTo: probe.actor, to: Parcel.self, weight: 3,
        fulfilled: { actor, value in
          actor.note("\(value)")
          return 7
        },
        rejected: { actor, error in
          actor.note("\(error)")
          return 7
        })
    }
    add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
      start.then(
        isolatedTo: probe.actor, to: Parcel.self, weight: 3,
        fulfilled: { actor, value in
          actor.note("\(value)")
          return .fulfilled(7)
        },
        rejected: { actor, error in
          actor.note("\(error)")
          return .fulfilled(7)
        })
    }
    add("tap(on:fileID:line:_:)", false) { start, probe in
      start.tap(isolatedTo: probe.actor) { actor, value in
        actor.note("\(value)")
      }
    }
    add("always(on:fileID:line:_:)", false) { start, probe in
      start.always(isolatedTo: probe.actor) { actor, result in
        actor.note("\(result)")
      }
    }
    add("alwaysThen(on:fileID:line:_:)", false) { start, probe in
      start.alwaysThen(isolatedTo: probe.actor) { actor, result in
        actor.note("\(result)")
        return Promise.fulfilled(7)
      }
    }
    add("validate(on:message:error:fileID:line:_:)", false) { start, probe in
      start.validate(isolatedTo: probe.actor) { actor, value in
        actor.note("\(value)")
        return false
      }
    }
    add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
      start.compactMap(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { actor, value in
        actor.note("\(value)")
        return Optional(7)
      }
    }
    add("onFulfilled(on:_:)", false) { start, probe in
      start.onFulfilled(isolatedTo: probe.actor) { actor, value in
        actor.note("\(value)")
      }
    }
    add("onRejected(on:_:)", false) { start, probe in
      start.onRejected(isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
      }
    }
    add("onRejected(only:on:_:)", false) { start, probe in
      start.onRejected(only: ParcelError.self, isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
      }
    }
    add("onFailed(on:_:)", false) { start, probe in
      start.onFailed(isolatedTo: probe.actor) { actor, error in
        actor.note("\(error)")
      }
    }
    add("onSettled(on:_:)", false) { start, probe in
      start.onSettled(isolatedTo: probe.actor) { actor, result in
        actor.note("\(result)")
      }
    }
    add("init(on:fileID:line:_:)", false) { _, probe in
      Promise<Parcel>(isolatedTo: probe.actor) { actor, deferred in
        actor.note("")
        deferred.fulfill(7)
      }
    }
    add("run(on:fileID:line:_:)", false) { _, probe in
      Promise<Parcel>.run(isolatedTo: probe.actor) { actor in
        actor.note("")
        return 7
      }
    }
    add("asyncMap(priority:to:weight:fileID:line:_:)", true) { start, probe in
      start.asyncMap(isolatedTo: probe.actor, priority: nil, to: Parcel.self, weight: 3) { actor, value in
        actor.note("\(value)")
        return 7
      }
    }
    add("asyncTap(priority:weight:fileID:line:_:)", true) { start, probe in
      start.asyncTap(isolatedTo: probe.actor, priority: nil, weight: 3) { actor, value in
        actor.note("\(value)")
      }
    }
    add("asyncAlways(priority:fileID:line:_:)", true) { start, probe in
      start.asyncAlways(isolatedTo: probe.actor, priority: nil) { actor, result in
        actor.note("\(result)")
      }
    }
    add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
      start.asyncRecover(isolatedTo: probe.actor, priority: nil) { actor, error in
        actor.note("\(error)")
        return 7
      }
    }
    add("asyncRecover(from:priority:fileID:line:_:)", true) { start, probe in
      start.asyncRecover(from: ParcelError.self, isolatedTo: probe.actor, priority: nil) { actor, error in
        actor.note("\(error)")
        return 7
      }
    }
    add("onProgress(on:_:)", false) { start, probe in
      start.onProgress(isolatedTo: probe.actor) { actor, fraction in
        actor.note("\(fraction)")
      }
    }
  }
}
