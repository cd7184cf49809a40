/* When a promise has finished (rules F1 and F2). The link `x` has a handler, which may return a promise `q`, late or in
   time. The link `d` is attached to `x`. A section under the lock of a promise is one step. The lock of a finish is a
   leaf, so it belongs to the step in which it is acquired. Sequentially consistent.

   Processes, a choice of them in each program:
   - run the handler of `x`, which returns a value or `q`. If `x` was cancelled meanwhile, give `q` up;
   - cancel `x`, what is below it, and what it has adopted;
   - settle `q`, or cancel it by name, at the same time;
   - run the hook of `q`, or finish the source of `q`, at any time after that has begun;
   - attach `d` to `x` at any moment, then run its job, or cancel it by name;
   - call `whenFinished` of `x` at any moment, or read `isFinished` of `x` twice, or of `d` and then of `x`.

   Checked at every moment:
   - `x` has not finished before its handler has ended, and before `q` has ended if `x` waited for it and has given it
     up, or has taken its outcome;
   - `d` has not finished before `x`, unless it left `x` while that was pending;
   - a promise finishes once, and `isFinished` never becomes false again;
   - the action of `whenFinished` runs once, and when it runs, `isFinished` is true.
   Checked at the end: all promises have finished, no hold is left, and nothing is left in a list or in a finish.

   `q` may have another consumer, a hook, a source that it gives up and that has a hook, or a finish of its own because
   its source has not finished. No promise is deallocated. Cleanups, combinations and kept handlers are not modelled. To
   a finish, each of them is one more hold.

   BROKEN_ADOPTION_WITHOUT_HOLD: a promise that is cancelled when it adopts `q`, but is not in the list of `q` yet, does
   not hold for the adopting thread, which gives `q` up.
   BROKEN_ADOPTION_HOLD_INFERRED: that thread infers the hold from the stage, instead of from a flag.
   BROKEN_BIT_CLEARED_IN_CLOSE: the bit of a cancelled promise without a finish is cleared after it is fired, so what it
   fires still sees that it has not finished.
   BROKEN_DECIDED_AT_ONCE: a cancellation sets the bit only if there is a finish in the settling section.
   BROKEN_FINISH_IS_NO_ROOT: no decision takes place if a promise has a finish only because its source has not finished.
   BROKEN_ROOTS_ARE_OWN: no decision takes place if a promise is given up that another thread has settled.
   BROKEN_SETTLED_SOURCE_FORGOTTEN: an entry that is cancelled after its source is settled, and before the source is
   fired, does not wait for the source.
   BROKEN_UNDECIDED_IS_FINISHED: a finish does not wait for a promise that another canceller has settled, and for which
   that canceller has not decided yet. */

#define X 0
#define D 1
#define Q 2
#define BIT(p) (1 << (p))

#define WAITING   0                        /* stages of x and of d */
#define SCHEDULED 1
#define RUNNING   2
#define ADOPTING  3
#define ENDED     4

bool done[3], byCall[3], rejected[3];
bool unfinished[3];                        /* the bit of the word. Without a stored finish: undecided */
bool closed[3];
byte stageX, stageD;
bool looked;                               /* x is in the list of q, and the adopter has looked again */
bool holdsAdoption;                        /* of the finish of x: the adopter has a hold */
#ifdef BROKEN_HOLD_IN_DECISION
bool handlerRan;                           /* the job has begun */
#endif

/* The finish of each promise. It is stored in the side table, or known only to the canceller. */
bool stored[3], finished[3];
byte remaining[3];
byte dependentsX, dependentsQ;             /* how often the finish of d depends on that of x, and that of x on that of q */
bool action;                               /* the finish of x has the action of whenFinished */

/* Entries of x: d, the observer of whenFinished, and observers by which the finish of d waits for the decision */
bool listD, lateD, listW, lateW;
byte lateFD;
/* Entries of q: x, and observers by which the finish of x waits for the decision */
bool listX, lateX;
byte lateFX;
byte count;                                /* the consumers of q */

bool hooked;                               /* q has a hook */
bool givesUpR;                             /* a cancelled q gives up its source r, which has a hook */
bool hookHeld;                             /* the finish of q holds for that hook */
bool attached, observes;
byte ran;                                  /* how often the action of whenFinished has run */
bool busy;                                 /* ghost: something that belongs to q still runs */
bool counts;                               /* ghost: x waited for q, which is settled and counts for the finish of x */
bool dCounts;                              /* ghost: d waited for x, which is settled and counts for the finish of d */

/* The meaning of isFinished, as one step */
#define FINISHED(p) (done[p] && (!unfinished[p] || stored[p] && finished[p]))
#define HAS_ENDED_X (done[X] && stageX != RUNNING && !(counts && busy))
/* The outcome is there, but something may still run. */
#define RUNS_ON(p) (unfinished[p] && stored[p] && !finished[p])

/* Of a thread: promises that it has settled and fires, new finishes, holds to be released, and entries that it has
   taken. Invariant: a promise is fired by the thread that has settled it. */
#define LOCALS byte mine, fresh, relX, relD, relQ, takenFD, takenFX; bool takenD, takenW, takenX; \
  bool roots, waitsQ, waitsX, waitsR, won, runs, departs

/* MARK: Finish */

/* Makes the finish of a locked promise, with the hold for "not settled yet". */
inline make(p) {
  if :: !stored[p] -> stored[p] = true; remaining[p] = 1 :: else fi
}
inline runAction() {
  atomic { runs = false; ran++; assert(ran == 1); assert(HAS_ENDED_X); assert(FINISHED(X)) }
}
/* Releases holds, and works off what that finishes, in a loop. */
inline release() {
  do
  :: relQ ->
     atomic {                                                      /* S: Finish.countDown: countOfHolds -= 1 */
       relQ--; assert(remaining[Q] > 0); remaining[Q]--;
       if
       :: !remaining[Q] -> assert(!finished[Q]); finished[Q] = true; relX = relX + dependentsQ; dependentsQ = 0
       :: else
       fi
     }
  :: relX ->
     atomic {                                                      /* S: Finish.countDown: countOfHolds -= 1 */
       relX--; assert(remaining[X] > 0); remaining[X]--;
       if
       :: !remaining[X] ->
          assert(!finished[X]); finished[X] = true; relD = relD + dependentsX; dependentsX = 0;
          runs = action; action = false
       :: else
       fi
     }
     if :: runs -> runAction() :: else fi
  :: relD ->
     atomic {                                                      /* S: Finish.countDown: countOfHolds -= 1 */
       relD--; assert(remaining[D] > 0); remaining[D]--;
       if :: !remaining[D] -> assert(!finished[D]); finished[D] = true :: else fi
     }
  :: else -> break
  od
}
/* Makes the finish of x, which has a hold, wait for that of q, if q is settled. If q is settled, but the canceller of q
   has not decided yet, an observer in the late list of q does so after the decision. */
inline waitForQ() {
  atomic {                                                         /* S: Finishing.holdFinish: promise.acquiredState.isUnfinished */
    if
    :: RUNS_ON(Q) -> remaining[X]++; dependentsQ++                 /* S: Finish.whenEnded: actions.append(       */
#ifndef BROKEN_UNDECIDED_IS_FINISHED
    :: done[Q] && unfinished[Q] && !stored[Q] ->
       assert(!closed[Q]);
       remaining[X]++; lateFX++                                    /* S: Attaching.appendLate: source.sideTable.late.append(PromisePointer(self)) */
#endif
    :: else
    fi
  }
}
inline waitForX() {
  atomic {                                                         /* S: Finishing.holdFinish: promise.acquiredState.isUnfinished */
    if
    :: RUNS_ON(X) -> remaining[D]++; dependentsX++
#ifndef BROKEN_UNDECIDED_IS_FINISHED
    :: done[X] && unfinished[X] && !stored[X] -> assert(!closed[X]); remaining[D]++; lateFD++
#endif
    :: else
    fi
  }
}

/* MARK: Settling */

/* The end of the section that settles p because of a cancellation. */
inline endByCall(p, isEmpty) {
  done[p] = true; byCall[p] = true; rejected[p] = true; mine = mine | BIT(p);
#ifndef BROKEN_DECIDED_AT_ONCE
  unfinished[p] = true;                                            /* S: Cancellation.settle: new = new.becomingUnfinished() */
#else
  unfinished[p] = stored[p];
#endif
#ifndef BROKEN_FINISH_IS_NO_ROOT
  if :: stored[p] -> roots = true :: else fi;                      /* S: UnfinishedWork.hold: promise.side?.finish == nil */
#endif
#ifdef BROKEN_CLOSED_IN_SECTION
  closed[p] = isEmpty
#else
  skip
#endif
}
/* Settles q, which is locked and pending, because of a cancellation. */
inline settleQByCall() {
  takenX = listX; listX = false; count = 0;
  if
  :: hooked -> make(Q); remaining[Q]++; hookHeld = true; busy = true; roots = true   /* S: UnfinishedWork.hold: finish.hold(count) */
  :: givesUpR -> waitsR = true; busy = true; roots = true
  :: else
  fi;
  endByCall(Q, !takenX)
}
/* Settles x, which is locked and pending, with an outcome. */
inline settleX(rejects) {
  done[X] = true; rejected[X] = rejects; unfinished[X] = stored[X];   /* S: Settling.endSection: becomingUnfinished() */
  takenD = listD; listD = false; takenW = listW; listW = false; mine = mine | BIT(X);
  closed[X] = (!takenD && !takenW && !stored[X])                   /* S: Settling.endSection: becomingClosed() */
}

/* x leaves q, and gives it up. Cancellation.carryOut */
inline departFromQ() {
  atomic {                                                         /* S: Departing.lockAndRemove: let state = promise.lock() */
    if
    :: !done[Q] && listX ->
       listX = false; assert(count > 0); count--;
       if :: !count -> settleQByCall() :: else fi
    :: else
    fi;
    if
    :: done[Q] ->
       counts = true; waitsQ = true;
#ifndef BROKEN_ROOTS_ARE_OWN
       if :: unfinished[Q] && !(mine & BIT(Q)) -> roots = true :: else fi;   /* S: UnfinishedWork.note: if isHeld || promise.acquiredState.isUnfinished { isDecisionNeeded = true } */
#endif
    :: else
    fi
  }
}

/* The decision: when everything is settled, and before anything is fired. */
inline link() {
  if
  :: waitsR -> atomic { waitsR = false; remaining[Q]++; hookHeld = true }   /* S: UnfinishedWork.link: source.precedeUnnoted(finish) */
  :: else
  fi;
  if
  :: waitsQ && (mine & BIT(X)) ->
     if
     :: mine & BIT(Q) -> atomic { assert(!finished[Q]); remaining[X]++; dependentsQ++ }   /* S: UnfinishedWork.link: source.precedeUnnoted(finish) */
     :: else -> waitForQ()
     fi
  :: else
  fi;
  if
  :: waitsX && (mine & BIT(D)) ->
     if
     :: mine & BIT(X) -> atomic { assert(!finished[X]); remaining[D]++; dependentsX++ }   /* S: UnfinishedWork.link: source.precedeUnnoted(finish) */
     :: else -> waitForX()
     fi
  :: else
  fi
}
/* Releases the first hold of the finish of p, and stores the finish. */
inline releaseFirst(p, rel) {
  if
  :: mine & BIT(p) ->
     rel = 1; won = (remaining[p] == 1);                           /* only this hold is left, so p finishes here */
     release();
     atomic {                                                      /* S: UnfinishedWork.decideNow: promise.sideTable.finish = finish */
       if :: (fresh & BIT(p)) && !won -> stored[p] = true :: else fi
     }
     won = false
  :: else
  fi
}
inline decide() {
  if
  :: roots ->
     atomic {                                                      /* S: UnfinishedWork.decideNow: Finish(of: promise) */
       fresh = mine;
       if :: stored[X] -> fresh = fresh & ~BIT(X) :: else fi;
       if :: stored[D] -> fresh = fresh & ~BIT(D) :: else fi;
       if :: stored[Q] -> fresh = fresh & ~BIT(Q) :: else fi;
       if :: fresh & BIT(X) -> remaining[X] = 1 :: else fi;
       if :: fresh & BIT(D) -> remaining[D] = 1 :: else fi;
       if :: fresh & BIT(Q) -> remaining[Q] = 1 :: else fi
     }
#ifdef BROKEN_HOLD_IN_DECISION
     /* Neither the settling section nor the stage says whether the handler runs. */
     atomic { if :: (mine & BIT(X)) && handlerRan -> remaining[X]++ :: else fi }
#endif
#ifndef BROKEN_RELEASED_BEFORE_LINKED
     link();
#endif
     releaseFirst(X, relX); releaseFirst(D, relD); releaseFirst(Q, relQ);
#ifdef BROKEN_RELEASED_BEFORE_LINKED
     link();
#endif
     fresh = 0; roots = false
  :: else
  fi;
  waitsQ = false; waitsX = false
}

/* MARK: Firing */

/* Fires d. The caller is the thread that fires x, or the thread that has attached d, if x is closed. */
inline fireD() {
  atomic {                                                         /* S: Firing.activate: var state = entry.lock() */
    if
    :: stageD == WAITING && !done[D] ->
       dCounts = true;
       if
#ifndef BROKEN_DEPENDENT_UNTESTED
       :: RUNS_ON(X) ->                                            /* S: Finishing.passFinish: finish.precede(waiting) */
#else
       :: unfinished[X] && stored[X] ->
#endif
          make(D); remaining[D]++; dependentsX++
       :: else
       fi;
       if
       :: rejected[X] -> stageD = ENDED; won = true                /* S: Firing.activateNothing: new.stage = .ended */
       :: else -> stageD = SCHEDULED                               /* S: Firing.activate: state.stage = .scheduled */
       fi
    :: else
    fi
  }
  if :: won -> won = false; settleD() :: else fi
}
/* Settles d with an outcome, in a section of its own. */
inline settleD() {
  atomic {                                                         /* S: Settling.settle: let state = lock() */
    if
    :: !done[D] -> done[D] = true; unfinished[D] = stored[D]; relD = stored[D]
    :: else
    fi
  }
  release()
}
/* Fires x, an adopter of q. The caller is the thread that fires q, or the adopting thread, if q is closed. */
inline fireX() {
  atomic {                                                         /* S: Firing.activate: var state = entry.lock() */
    if
    :: stageX == ADOPTING ->
       assert(!done[X]); counts = true;
       if :: RUNS_ON(Q) -> make(X); remaining[X]++; dependentsQ++ :: else fi;   /* S: Finishing.passFinish: finish.precede(waiting) */
       stageX = ENDED;
       if
       :: rejected[Q] -> won = true
       :: else -> settleX(false)                                   /* S: Firing.activateNothing: entry.settle(new, with: .value(copyValue())) */
       fi
    :: else
    fi
  }
  if
  :: won ->
     atomic { won = false; if :: !done[X] -> settleX(true) :: else fi }   /* S: Firing.reject: entry.settle( */
  :: else
  fi
}
/* Fires the observer of whenFinished. */
inline fireW() {
  atomic {                                                         /* S: Finish.whenEnded: actions.append(       */
    if
    :: RUNS_ON(X) -> action = true
    :: else -> runs = true
    fi
  }
  if :: runs -> runAction() :: else fi
}

/* Before anything is fired: a promise without a finish has finished. */
inline beginFiring(p) {
  atomic {                                                         /* S: Finishing.unfinished: state = state.becomingFinished() */
#ifdef BROKEN_BIT_CLEARED_WITH_FINISH
    if :: byCall[p] -> unfinished[p] = false :: else fi
#else
#ifndef BROKEN_BIT_CLEARED_IN_CLOSE
    if :: unfinished[p] && !stored[p] -> unfinished[p] = false :: else fi
#endif
#endif
    skip
  }
}
inline close(p) {
  closed[p] = true;                                                /* S: Firing.close: becomingClosed() */
  if :: unfinished[p] && !stored[p] -> unfinished[p] = false :: else fi
}
inline fireAll() {
  do
  :: mine & BIT(X) ->
     mine = mine & ~BIT(X);
     beginFiring(X);
     do
     :: takenD -> takenD = false; fireD()
     :: takenW -> takenW = false; fireW()
     :: takenFD ->
        atomic {                                                   /* S: Finishing.whenFinished: finish.whenEnded(           */
          takenFD--;
          if :: RUNS_ON(X) -> dependentsX++ :: else -> relD = 1 fi
        }
        release()
     :: !takenD && !takenW && !takenFD ->
        atomic {                                                   /* S: Firing.closeWithLateEntries: let late = sideTable.late */
          if
          :: lateD || lateW || lateFD ->
             takenD = lateD; lateD = false; takenW = lateW; lateW = false; takenFD = lateFD; lateFD = 0
          :: else -> close(X); relX = (!byCall[X] && stored[X]); break
          fi
        }
     od;
     release()                                                     /* S: Firing.end: leftovers.finish?.release() */
  :: !(mine & BIT(X)) && (mine & BIT(D)) ->
     mine = mine & ~BIT(D);
     beginFiring(D);
     atomic { close(D) }
  :: !(mine & (BIT(X) | BIT(D))) && (mine & BIT(Q)) ->
     mine = mine & ~BIT(Q);
     beginFiring(Q);
     do
     :: takenX -> takenX = false; fireX()
     :: takenFX ->
        atomic {                                                   /* S: Finishing.whenFinished: finish.whenEnded(           */
          takenFX--;
          if :: RUNS_ON(Q) -> dependentsQ++ :: else -> relX = 1 fi
        }
        release()
     :: !takenX && !takenFX ->
        atomic {                                                   /* S: Firing.closeWithLateEntries: let late = sideTable.late */
          if
          :: lateX || lateFX -> takenX = lateX; lateX = false; takenFX = lateFX; lateFX = 0
          :: else -> close(Q); relQ = (!byCall[Q] && stored[Q]); break
          fi
        }
     od;
     release()
  :: !mine -> break
  od
}

/* MARK: Processes */

/* Runs the job of x. */
proctype Handler(bool returnsQ) {
  LOCALS;
  bool isClosed;
  atomic {                                                         /* S: Running.start: var state = lock() */
    if
    :: stageX == SCHEDULED -> stageX = RUNNING; won = true
#ifdef BROKEN_HOLD_IN_DECISION
       ; handlerRan = true
#endif
    :: else
    fi
  }
  if
  :: won && !returnsQ ->
     atomic {                                                      /* S: Running.endRunning: var state = lock() */
       won = false; stageX = ENDED;
       if
       :: !done[X] -> settleX(false)
       :: else -> relX = 1                                         /* S: Running.endRunning: let finish = takeHold() */
       fi
     }
     release(); fireAll()
  :: won && returnsQ ->
     atomic {                                                      /* S: Adopting.beginAdopting: var state = lock() */
       if
       :: !done[X] -> stageX = ADOPTING                            /* S: Adopting.beginAdopting: state.stage = .adopting */
       :: else ->
          won = false;
#ifdef BROKEN_ENDED_BEFORE_LINKED
          stageX = ENDED; relX = 1
#endif
       fi
     }
     release();
     if
     :: won ->
        won = false;
        atomic {                                                   /* S: Attaching.append: let state = source.lock() */
          if
          :: !done[Q] -> listX = true; count++                     /* S: Attaching.append: source.list.append(entry) */
          :: done[Q] && !closed[Q] -> lateX = true                 /* S: Attaching.appendLate: source.sideTable.late.append */
          :: else -> isClosed = true
          fi
        }
        if :: isClosed -> isClosed = false; fireX(); fireAll() :: else fi;        /* S: Attaching.appendLate: source.fire(PromisePointer(self), &queue) */
        atomic {                                                   /* S: LookingAgain.lookAgain: let state = lock() */
          looked = (stageX == ADOPTING);
#ifdef BROKEN_ADOPTION_HOLD_INFERRED
          won = (stageX == ENDED && byCall[X])
#else
          won = holdsAdoption; holdsAdoption = false
#endif
#ifdef BROKEN_ADOPTION_WITHOUT_HOLD
          ; won = (stageX == ENDED && byCall[X])
#endif
        }
        if
        :: won ->
           won = false;
           departFromQ();                                          /* S: LookingAgain.leaveAfterEnd: cancellation.run() */
           decide(); fireAll();
#ifndef BROKEN_ADOPTION_WITHOUT_HOLD
           waitForQ();
           relX = 1; release()                                     /* S: LookingAgain.endLook: finish?.release() */
#endif
        :: else
        fi
     :: else ->
        /* Too late: gives q up. The finish of x still holds for the handler. */
        atomic {                                                   /* S: Adopting.giveUp: Departure(promise: resolved) */
          if :: !done[Q] && !count -> settleQByCall() :: else fi;
          if :: done[Q] -> counts = true :: else fi
        }
        decide(); fireAll();
#ifndef BROKEN_ENDED_BEFORE_LINKED
        waitForQ();
        atomic { stageX = ENDED; relX = 1 }                        /* S: Running.endWithoutSettling: unlockEnded(state) */
        release()
#endif
     fi
  :: else
  fi
}

/* Cancels x, with what is below it, and gives up what it has adopted. */
proctype Canceller() {
  LOCALS;
  atomic {                                                         /* S: Cancellation.add: let state = promise.lock() */
    if
    :: !done[X] ->
       if
       :: stageX == SCHEDULED -> stageX = ENDED
       :: stageX == RUNNING ->
#ifndef BROKEN_HOLD_IN_DECISION
          make(X); remaining[X]++;                                 /* S: UnfinishedWork.hold: finish.hold(count) */
#endif
          roots = true
       :: stageX == ADOPTING ->
          stageX = ENDED; departs = true;                          /* S: Departing.end: waitedFor = .adopted */
#ifndef BROKEN_ADOPTION_WITHOUT_HOLD
          if :: !looked -> make(X); remaining[X]++; holdsAdoption = true; roots = true :: else fi
#endif
       :: stageX == ENDED
       fi;
       takenD = listD; listD = false; takenW = listW; listW = false;
       endByCall(X, !takenD && !takenW)
    :: else
    fi
  }
  if
  :: (mine & BIT(X)) && takenD ->
     atomic {                                                      /* S: Cancellation.visit: let state = entry.lock() */
       if
       :: !done[D] && stageD == WAITING ->
          stageD = ENDED; dCounts = true; waitsX = true;
          endByCall(D, true)                                       /* S: Cancellation.visit: return settle(entry, state */
       :: else
       fi
     }
  :: else
  fi;
  if :: departs -> departs = false; departFromQ() :: else fi;
  decide(); fireAll()
}

/* Settles q as its owner, or cancels it by name. */
proctype SettlerOfQ(bool cancels; bool rejects) {
  LOCALS;
  atomic {
    if
    :: !done[Q] && cancels -> settleQByCall()                      /* S: Cancellation.add: let state = promise.lock() */
    :: !done[Q] && !cancels ->                                     /* S: Settling.settle: let state = lock() */
       done[Q] = true; rejected[Q] = rejects; unfinished[Q] = stored[Q]; count = 0;
       takenX = listX; listX = false; closed[Q] = (!takenX && !stored[Q]); mine = BIT(Q)
    :: else
    fi
  }
  decide(); fireAll()
}
/* What belongs to q, and outlasts its settlement, ends. */
proctype Work() {
  LOCALS;
  if
  :: hooked || givesUpR -> atomic { (hookHeld || done[Q] && !byCall[Q]) -> relQ = hookHeld; busy = false }   /* S: OwnerHooks.run: finish.release() */
  :: else -> atomic { relQ = 1; busy = false }
  fi;
  release()
}

/* Attaches d to x, and runs its job, or cancels it. */
proctype Attacher(bool cancels) {
  LOCALS;
  atomic {                                                         /* S: Attaching.append: let state = source.lock() */
    attached = true;
    if
    :: !done[X] -> listD = true
    :: done[X] && !closed[X] -> lateD = true                       /* S: Attaching.appendLate: source.sideTable.late.append */
    :: else -> runs = true
    fi
  }
  if :: runs -> runs = false; fireD() :: else fi;                  /* S: Attaching.appendLate: source.fire(PromisePointer(self), &queue) */
  if
  :: cancels ->
     atomic {                                                      /* S: Cancellation.add: let state = promise.lock() */
       if
       :: !done[D] ->
          if
          :: stageD == WAITING && done[X] ->                       /* S: Departing.endHandler: source?.acquiredState */
             stageD = ENDED; dCounts = true;
#ifndef BROKEN_SETTLED_SOURCE_FORGOTTEN
             waitsX = unfinished[X]; roots = unfinished[X]         /* S: Departing.endHandler: isUnfinished */
#endif
          :: stageD == WAITING && !done[X] -> stageD = ENDED; departs = true
          :: stageD == SCHEDULED -> stageD = ENDED
          :: stageD == ENDED
          fi;
          endByCall(D, true)
       :: else
       fi
     }
     if
     :: departs ->
        atomic {                                                   /* S: Departing.lockAndRemove: let state = promise.lock() */
          departs = false;
          if
          :: !done[X] -> assert(listD); listD = false
          :: else ->
             dCounts = true;
#ifndef BROKEN_SETTLED_SOURCE_FORGOTTEN
             waitsX = unfinished[X]; roots = roots || unfinished[X]
#endif
          fi
        }
     :: else
     fi;
     decide(); fireAll()
  :: else
  fi;
  (done[D] || stageD == SCHEDULED);
  if
  :: stageD == SCHEDULED -> atomic { stageD = ENDED }; settleD()   /* S: Running.endRunning: var state = lock() */
  :: else
  fi
}

proctype WhenFinished() {
  bool won, runs;
  atomic {                                                         /* S: Attaching.append: let state = source.lock() */
    observes = true;
    if
    :: !done[X] -> listW = true
    :: done[X] && !closed[X] -> lateW = true
    :: else -> won = true
    fi
  }
  if :: won -> won = false; fireW() :: else fi
}

/* Reads isFinished: the word, and then, if need be, the side table under the lock. */
inline isFinished(p, answer) {
  atomic {                                                         /* S: Finishing.hasFinished: promise.acquiredState */
    answer = done[p] && !unfinished[p]; isUndecided = done[p] && unfinished[p]
  }
  if
  :: isUndecided ->
     atomic {                                                      /* S: Finishing.hasFinished: promise.side?.finish */
#ifndef BROKEN_UNDECIDED_READS_FINISHED
       answer = !unfinished[p] || stored[p] && finished[p];
#else
       answer = !stored[p] || finished[p];
#endif
       isUndecided = false
     }
  :: else
  fi
}
proctype Reader(bool readsD) {
  bool first, second, isUndecided;
  if
  :: readsD -> isFinished(D, first)
  :: else -> isFinished(X, first)
  fi;
  assert(!first || readsD || HAS_ENDED_X);
  first = first && (!readsD || dCounts);
  isFinished(X, second);
  assert(!first || second)
}

proctype Monitor() {
end:
  atomic {
    if
    :: FINISHED(X) && !HAS_ENDED_X -> assert(HAS_ENDED_X)
    :: FINISHED(D) && dCounts && !FINISHED(X) -> assert(FINISHED(X))
    fi
  }
}

init {
  bool few, reads;
  atomic {
    stageX = SCHEDULED;
    run Monitor();
    run Canceller();
    if
    :: run WhenFinished()
    :: run Reader(false)
    :: run Attacher(false)
    :: run Attacher(false); run Reader(true); reads = true
    :: run Attacher(true); few = true
    fi;
    if
    :: run Handler(false); done[Q] = true; closed[Q] = true
    :: !reads -> run Handler(true);
       /* Combinations that differ little from others are left out. */
       if
       :: hooked = true; run Work(); run SettlerOfQ(true, true)
       :: make(Q); remaining[Q] = 2; busy = true; run Work(); run SettlerOfQ(false, false)
       :: !few ->
          if
          :: run SettlerOfQ(true, true)
          :: hooked = true; run Work(); run SettlerOfQ(false, true)
          :: givesUpR = true; run Work(); if :: run SettlerOfQ(true, true) :: run SettlerOfQ(false, false) fi
          :: make(Q); remaining[Q] = 2; busy = true; run Work();
             if :: count = 0 :: count = 1 fi;               /* another consumer */
             if :: run SettlerOfQ(true, true) :: run SettlerOfQ(false, true) fi
          fi
       fi
    fi
  }
  (_nr_pr == 2);
  d_step {
    assert(FINISHED(X) && FINISHED(Q) && (!attached || FINISHED(D)));
    assert(!remaining[X] && !remaining[D] && !remaining[Q] && !holdsAdoption);
    assert(!listD && !lateD && !listW && !lateW && !lateFD && !listX && !lateX && !lateFX);
    assert(!dependentsX && !dependentsQ && !action && stageX == ENDED && (!attached || stageD == ENDED));
    assert(closed[X] && closed[Q] && ran == observes)
  }
}
