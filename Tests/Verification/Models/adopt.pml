/* Adopting and following. A promise `t` waits for `q`, because its handler has returned `q` (`adopts`), or because its
   owner has made it follow `q`. The waiting entry `e` is `t` itself or, for `follow`, a separate object. A section
   under the lock of one of them is one step. Sequentially consistent.

   Processes:
   - adopt or follow;
   - cancel `t`, or settle it in another way;
   - settle or cancel `q`;
   - another consumer `c` of `q` leaves it or gives it up, or is attached.

   Checked:
   - `t` does not stay pending below a settled `q`;
   - an ended entry does not stay in the list, and is removed once;
   - `q` is given up once if `t` was cancelled, and never otherwise, whichever thread comes first (rules 3.1 and 4.4);
   - the count of consumers is correct, and a promise that its last consumer gives up is cancelled;
   - the result of `follow`.

   `collapse.pml` counts references. */

#define WAITING  0
#define RUNNING  1
#define ADOPTING 2
#define ENDED    3
#define E 1                                /* bits of lists */
#define C 2

bool adopts;
bool tDone, tByCall, qDone, qByCall, qRejected, qClosed;
byte stage;                                /* of the entry */
byte list, late, taken, count;             /* of q */
bool follows;                              /* the side table of t has the follower */
bool cDone;
byte gaveUp, removed;                      /* ghost: for t */
bool lastGave;                             /* ghost: the last consumer that left gave q up */
bool tCancelled;                           /* ghost: a call has cancelled t, not q */
bool answer, answered;

#define WAITS (stage == WAITING || stage == ADOPTING)
#define LOCALS bool won, gives, mine, isPending; byte entries

/* Settles q, which is pending, in this section. */
inline settleQ(rejects, called) {
  qDone = true; qRejected = rejects; qByCall = called; taken = list; list = 0; count = 0; mine = true
}
/* Settles t in this section. */
inline settleT(called) { assert(!tDone); tDone = true; tByCall = called }

/* Departure: the entry `who` leaves q, or gives it up. */
inline depart(who) {
  atomic {                                                         /* S: Departing.lockAndRemove: let state = promise.lock() */
    if
#ifdef BROKEN_LIST_UNTESTED
    :: !qDone ->
#else
    :: !qDone && (list & who) ->                                   /* S: Departing.lockAndRemove: promise.list.contains(entry) */
#endif
       assert(count > 0);
       list = list & ~who; count--; lastGave = gives;              /* S: Departing.lockAndRemove: promise.list.remove(entry) */
       if :: who == E -> removed++; assert(removed == 1); gaveUp = gaveUp + gives :: else fi;
       if :: count == 0 && gives -> settleQ(true, true) :: else fi /* S: Cancellation.carryOut: if state.consumers == 0, givingUp */
    :: else
    fi
  }
  gives = false
}
/* AnyPromise.giveUpUnadopted */
inline giveUpUnadopted() {
#ifndef BROKEN_UNADOPTED_KEPT
  atomic {                                                         /* S: Adopting.giveUp: Departure(promise: resolved) */
    if
    :: !qDone -> gaveUp++; if :: count == 0 -> settleQ(true, true) :: else fi
    :: else
    fi
  }
#endif
  skip
}
/* FiringQueue.fire of q */
inline fireEntry() {
  atomic {                                                         /* S: Firing.activate: var state = entry.lock() */
    won = (WAITS && (!adopts || !tDone));
    if
    :: won ->
       if
       :: adopts && !qRejected -> settleT(false); won = false      /* S: Firing.activateNothing: entry.settle(new, with: .value(copyValue())) */
       :: else
       fi;
       stage = ENDED                                               /* S: Firing.activateNothing: new.stage = .ended */
    :: else
    fi
  }
  if
  :: won ->
     atomic {                                                      /* S: Following.pass: promise.settle(with: passed, trail: trail) */
       if
       :: !tDone -> settleT(false); won = follows; follows = false /* S: SideTable.takeLeftovers: follows: follows */
       :: else -> won = false
       fi
     }
     if :: won -> detach() :: else fi
  :: else
  fi;
  won = false
}
inline fireQ() {
  do
  :: mine ->
     mine = false;
     do
     :: taken & E -> taken = taken & ~E; fireEntry()
     :: taken & C -> atomic { taken = taken & ~C; cDone = true }
     :: !taken ->
        atomic {                                                   /* S: Firing.closeWithLateEntries: let late = sideTable.late */
          if :: late -> taken = late; late = 0 :: else -> qClosed = true; break fi
        }
     od
  :: else -> break
  od
}
/* AnyPromise.detach of the follower, then its departure */
inline detach() {
  atomic {                                                         /* S: Following.detach: var state = lock() */
    won = (stage == WAITING);
    if :: won -> stage = ENDED :: else fi                          /* S: Following.detach: state.stage = .ended */
  }
  if :: won -> depart(E) :: else fi;
  won = false
}

/* AnyPromise.append */
inline append(who) {
  entries = 0;
  atomic {                                                         /* S: Attaching.append: let state = source.lock() */
    if
    :: !qDone -> list = list | who; count++                        /* S: Attaching.append: source.list.append(entry) */
    :: qDone && !qClosed -> late = late | who                      /* S: Attaching.appendLate: source.sideTable.late.append */
    :: qDone && qClosed -> entries = who
    fi
  }
  if
  :: entries & E -> fireEntry()                                    /* S: Attaching.appendLate: source.fire(PromisePointer(self), &queue) */
  :: entries & C -> cDone = true
  :: else
  fi;
  entries = 0
}
/* AnyPromise.lookAgain. If a thread has fired the entry, or put it into the late list, there is nothing to remove. */
inline lookAgain() {
#ifndef BROKEN_NO_SECOND_LOOK
  won = (stage == ENDED);                                          /* S: LookingAgain.lookAgain: let hasEnded = state.stage == .ended */
  if
  :: won ->
     gives = tByCall;                                              /* S: LookingAgain.givesUpAfterEnd: givesUpFollowed */
#ifdef BROKEN_SECOND_LOOK_GIVES_UP
     gives = true;
#endif
     depart(E)
  :: else
  fi;
  won = false;
#endif
  skip
}

proctype Adopter() {
  LOCALS;
  if
  :: adopts ->
#ifdef BROKEN_EDGE_AFTER_PUSH
     append(E);
#endif
     atomic {                                                      /* S: Adopting.beginAdopting: var state = lock() */
       won = !tDone;
       if :: won -> stage = ADOPTING :: else -> stage = ENDED fi   /* S: Adopting.beginAdopting: state.stage = .adopting */
     }
#ifndef BROKEN_EDGE_AFTER_PUSH
     if
     :: won -> won = false; append(E); lookAgain()
     :: else -> if :: tByCall -> giveUpUnadopted() :: else fi
     fi
#endif
  :: !adopts ->
     atomic {                                                      /* S: Following.follow: sideTable.follows.append(follower) */
       won = !tDone;
       if :: won -> follows = true :: else -> stage = ENDED fi     /* the follower is dropped */
     }
     if
     :: won ->
        won = false;
        isPending = !qDone;                                        /* S: Following.follow: source.acquiredState.isPending */
        append(E); lookAgain();
        atomic {                                                   /* S: Following.follow: let after = locked */
          answer = !tDone || !tByCall || isPending && qByCall; answered = true;
          assert(!(!tDone && !answer)); isPending = false
        }
     :: else ->
        atomic { answer = false; answered = true }
        if :: tByCall -> giveUpUnadopted() :: else fi              /* S: Following.rejectFollow: giveUpUnadopted(other) */
     fi
  fi;
  fireQ()
}

/* Cancels t, or settles it in another way. */
proctype Canceller(bool cancels) {
  LOCALS;
  atomic {                                                         /* S: Cancellation.visit: let state = promise.lock() */
    if
    :: !tDone ->
       settleT(cancels); tCancelled = cancels;
       if
       :: adopts -> won = (stage == ADOPTING); if :: won -> stage = ENDED :: else fi   /* S: Departing.end: waitedFor = .adopted */
       :: else -> won = follows; follows = false                   /* S: Cancellation.giveUp: let departure = follow.detach() */
       fi
    :: else
    fi
  }
  gives = cancels;                                                 /* S: Firing.leave: departure.leave() */
  if
  :: won && adopts -> depart(E)
  :: won && !adopts -> detach()
  :: else
  fi;
  gives = false;
  fireQ()
}

proctype Settler(bool rejects; bool calls) {
  LOCALS;
  atomic { if :: !qDone -> settleQ(rejects, calls) :: else fi }    /* S: Settling.settle: let state = lock() */
  fireQ()
}

/* The consumer c is attached, or c already waits and leaves q or gives it up. */
proctype Consumer(byte how) {
  LOCALS;
  if
  :: how == 2 -> append(C)
  :: else -> gives = (how == 1); cDone = true; depart(C)
  fi;
  fireQ()
}

init {
  atomic {
    if :: adopts = true; stage = RUNNING :: adopts = false fi;
    run Adopter();
    if :: run Canceller(true) :: run Canceller(false) fi;
    if :: run Settler(false, false) :: run Settler(true, false) :: run Settler(true, true) :: skip fi;
    if
    :: list = C; count = 1; if :: run Consumer(0) :: run Consumer(1) fi
    :: run Consumer(2)
    :: skip
    fi
  }
  (_nr_pr == 1);
  d_step {
    assert(!taken && !late && tDone && !WAITS);
    /* The ended entry is in no list, and the count of consumers is correct. */
    assert(!(list & E) && (qDone || count == (list == C)));
    assert(!qDone || qClosed && !list);
    assert(qDone || count || !lastGave);
    /* q is given up once if t was cancelled. */
    assert(gaveUp <= 1 && (gaveUp == 0 || tCancelled));
    assert(qDone || gaveUp == tCancelled);
    assert(adopts || answered)
  }
}
