/* Settling concurrently with cancelling, down and up. An owner has promise 0. Entry 1 waits for 0, 2 waits for 1, and 3
   waits for one of them. Entry 3 is attached before the other threads begin, or by a thread. A section under the lock
   of a promise is one step, if all its other reads and writes are one access. Otherwise it is several steps, between
   which the lock is held. Sequentially consistent.

   Processes, three or four in each of four programs (ONLY chooses one):
   - the owner fulfils or rejects 0;
   - a context runs the jobs in any order;
   - one or two threads cancel a promise, with or without `upstream`;
   - a thread attaches entry 3;
   - the time limit of an entry expires.

   The tour is abstracted to a tree, in which `place[e]` is the promise below which the enter of `e` is. A walk through
   the tour is one step here (`tour.pml` models the list of marks and the pieces of a walk). No promise is deallocated
   (`collapse.pml` counts references).

   Checked: when `cancel` has returned, all promises that were below the promise are settled, unless another
   cancellation is in progress, which settles them before it returns (rule 4.3). Handlers for a value that had not
   started by then do not run. Handlers of one source are scheduled in the order of attachment (rule 2.2). The count of
   consumers is correct, a promise with a consumer is not cancelled from below, and a promise that its last consumer
   gives up is cancelled (rule 4.4). In the end, no entry waits for a settled promise.

   BROKEN_LISTED_IS_SKIPPED: a cancellation skips an entry of its list that a time limit has ended in the meantime, with
   all promises below that entry. */

#define N 4
#define NONE 15
#define BIT(x) (1 << (x))

/* Stages of an entry */
#define WAITING   0
#define SCHEDULED 1
#define RUNNING   2
#define ENDED     3

bool lk[N];                                /* the lock bit */
bool done[N], closed[N], rejected[N], byCall[N];
byte stage[N], source[N], count[N];
byte list[N], late[N];                     /* sets, because entries are attached in the order of their numbers */
byte taken[N];                             /* the list that the settling thread has taken */
byte place[N];                             /* the tour */
bool job[N];                               /* the context has the job */
bool passes;                               /* entry 1 has no handler for a value */
byte attached;                             /* ghost: entries that are attached */
bool left[N];                              /* ghost: settled before its source */
byte begun[N];                             /* ghost: the number of starts of the handler */
bool forbidden[N];                         /* ghost: the handler must not start any more */
byte cancelling, owed;                     /* ghost: cancellations in progress; entries that the last must settle */
byte users;                                /* ghost: threads other than the context */

#define PENDING(x) (!done[x])
#define IS_ENTRY(x) ((x) > 0)
#define HANDLES(x) (!((x) == 1 && passes))

/* Ghost: whether e is below x (rule 4.0) */
#define PART_OF_CHAIN(e, x) ((e) != (x) && IS_ENTRY(e) && (attached & BIT(e)) && !left[e])
#define UP1(e) (source[e])
#define BELOW(e, x) (PART_OF_CHAIN(e, x) && (UP1(e) == (x) || (PART_OF_CHAIN(UP1(e), x) && (UP1(UP1(e)) == (x) || \
  (PART_OF_CHAIN(UP1(UP1(e)), x) && UP1(UP1(UP1(e))) == (x))))))
/* Whether e is between the enter and the exit of x in the tour */
#define STANDS_BELOW(e, x) (place[e] != NONE && (place[e] == (x) || (place[place[e]] != NONE && (place[place[e]] == (x) || \
  (place[place[place[e]]] != NONE && place[place[place[e]]] == (x))))))

#define LOCALS byte k, e, mine, named, listed, below, departures, giving, snapshot, act; bool gives, up, was, runs

/* Steps 1 to 4 of a settlement, for a locked pending promise, and the release of the lock. The entries of its list get
   their places before the lock is released. */
inline placeEntries(x0, entries0) {
  k = 1;
  do
  :: k < N ->
     if :: (entries0 & BIT(k)) && PENDING(k) && stage[k] == WAITING -> place[k] = x0 :: else fi;
     k++
  :: else -> break
  od;
  k = 0
}
inline takeList(x0) {
  taken[x0] = list[x0]; list[x0] = 0; count[x0] = 0;
  if :: taken[x0] == 0 && !late[x0] -> closed[x0] = true :: else fi   /* S: Settling.endSection: becomingClosed() */
}
inline endSection(x0, how, called, isEnded) {
  d_step {                                                         /* S: Tour.place: show(new) */
    assert(PENDING(x0));
    done[x0] = true; rejected[x0] = how; byCall[x0] = called;
    if :: isEnded -> stage[x0] = ENDED :: else fi;
    left[x0] = IS_ENTRY(x0) && PENDING(source[x0]);
#ifndef BROKEN_PLACED_AFTER_SECTION
    placeEntries(x0, list[x0]);                                    /* S: Tour.place: TourMark.enter(entry).insert(before: exit) */
#endif
    takeList(x0);                                                  /* S: Settling.endSection: let entries = list */
    mine = mine | BIT(x0); lk[x0] = false                          /* S: Settling.endSection: unlock(new) */
  }
}
#ifdef BROKEN_PLACED_AFTER_SECTION
#define AFTER_SECTION(x0) ; d_step { placeEntries(x0, taken[x0]) }
#else
#define AFTER_SECTION(x0)
#endif

/* Fires e0, an entry of the settled promise x0. Firing.activate */
inline fire(x0, e0) {
  atomic {                                                         /* S: Firing.activate: var state = entry.lock() */
    !lk[e0] -> act = 0;
    if
    :: stage[e0] == WAITING && !rejected[x0] && HANDLES(e0) && PENDING(e0) ->
       d_step {                                                    /* S: Firing.activate: state.stage = .scheduled */
         stage[e0] = SCHEDULED; act = 1;
         /* Rule 2.2: entries of x0 with a smaller number were attached before. */
         k = 1;
         do
         :: k < e0 -> assert(!(source[k] == x0 && PENDING(k) && stage[k] == WAITING && (attached & BIT(k)))); k++
         :: else -> break
         od;
         k = 0
       }
    :: stage[e0] == WAITING && !rejected[x0] && !HANDLES(e0) && PENDING(e0) ->
       endSection(e0, false, false, true); act = 3                 /* S: Firing.activateNothing: entry.settle(new, with: .value(copyValue())) */
    :: stage[e0] == WAITING && rejected[x0] && PENDING(e0) -> stage[e0] = ENDED; act = 2   /* S: Firing.activateNothing: new.stage = .ended */
    :: else                                                        /* S: Firing.activateNothing: The entry was cancelled, detached or taken back. */
#ifdef BROKEN_FIRES_ENDED
       if :: !rejected[x0] && HANDLES(e0) -> stage[e0] = SCHEDULED; act = 1 :: else fi
#endif
    fi
  }
  if
  :: act == 1 -> job[e0] = true                                    /* S: Firing.fireMany: groups.schedule() */
  :: act == 2 -> atomic { !lk[e0] -> if :: PENDING(e0) -> endSection(e0, true, false, true) :: else fi } AFTER_SECTION(e0)   /* S: Firing.reject: entry.settle( */
  :: else -> skip AFTER_SECTION(e0)
  fi
}
inline fireEntries(x0) {
  do
  :: taken[x0] ->
     d_step { e = 1; do :: !(taken[x0] & BIT(e)) -> e++ :: else -> break od; taken[x0] = taken[x0] & ~BIT(e) }
     fire(x0, e); e = 0
  :: else -> break
  od
}
/* FiringQueue.fireAll */
inline fireAll() {
  do
  :: mine ->
     d_step { x = 0; do :: !(mine & BIT(x)) -> x++ :: else -> break od; mine = mine & ~BIT(x) }
     do
     :: taken[x] -> fireEntries(x)
     :: else ->
        atomic {                                                   /* S: Firing.close: let state = lock() */
          !lk[x] ->
          if
#ifdef BROKEN_CLOSED_UNLOOKED
          :: true -> closed[x] = true; break
#else
          :: late[x] -> taken[x] = late[x]; late[x] = 0            /* S: Firing.closeWithLateEntries: sideTable.late = EntryList() */
#endif
          :: !late[x] -> closed[x] = true; break                   /* S: Firing.unlockClosed: let closed = state.becomingClosed() */
          fi
        }
     od;
     atomic { x = 0; act = 0 }
  :: else -> break
  od
}

/* Locks x0 and sets `act` if it is pending (and waiting). Then `was` says whether it has a pending source. */
inline lockForCall(x0, onlyWaiting) {
  !lk[x0] -> act = PENDING(x0) && (!(onlyWaiting) || stage[x0] == WAITING);
  if
  :: act ->
     lk[x0] = true;
     was = IS_ENTRY(x0) && (stage[x0] == WAITING || stage[x0] == SCHEDULED) && !done[source[x0]]   /* S: Departing.endHandler: source?.acquiredState */
  :: else
  fi
}
/* Cancellation.settle, for a locked pending promise. With `hasUp` it gives up its source. */
inline settleByCall(x0, hasUp, timesOut) {
  atomic {
    if
    :: was ->                                                      /* S: Cancellation.leave: departure: Departure(promise: source, entry: entry, keepsHandler: ended.keepsHandler) */
       departures = departures | BIT(x0);
       if :: hasUp -> giving = giving | BIT(x0) :: else fi
    :: else
    fi;
#ifdef BROKEN_STAGE_NOT_ENDED
    endSection(x0, true, !(timesOut), stage[x0] == WAITING);
#else
    endSection(x0, true, !(timesOut), stage[x0] == WAITING || stage[x0] == SCHEDULED);   /* S: Cancellation.settle: promise.reject(new, as: ending */
#endif
    if
    :: !(timesOut) -> listed = listed | taken[x0]                  /* S: Cancellation.findEntries: found.append(.listed */
    :: else
    fi;
    was = false
  } AFTER_SECTION(x0)
}
/* forEachPendingBelow */
inline walk(x0) {
  d_step {                                                         /* S: TourWalk.walkNextPiece: Stripe.locked(state) */
    k = 1;
    do
    :: k < N -> if :: STANDS_BELOW(k, x0) && PENDING(k) -> below = below | BIT(k) :: else fi; k++
    :: else -> break
    od;
    k = 0
  }
}
/* Cancellation.settleAll */
inline settleAll() {
  do
  :: named || listed || below ->
     if
     :: named ->
        atomic {                                                   /* S: Cancellation.visit: let state = promise.lock() */
          x = 0; do :: !(named & BIT(x)) -> x++ :: else -> break od;
          lockForCall(x, false); named = 0
        }
        if :: act -> settleByCall(x, up, false) :: else -> walk(x) fi
     :: !named && listed ->
        atomic {                                                   /* S: Cancellation.visit: let state = entry.lock() */
          x = 1; do :: !(listed & BIT(x)) -> x++ :: else -> break od;
          lockForCall(x, true); listed = listed & ~BIT(x)
        }
        if
        :: act -> settleByCall(x, false, false)
        :: else ->
#ifndef BROKEN_LISTED_IS_SKIPPED
           /* It was pending when its source was settled. Since then, something other than a cancellation has settled
              it. */
           if :: done[x] -> walk(source[x]) :: else fi
#endif
        fi
     :: !named && !listed && below ->
        atomic {
          x = 1; do :: !(below & BIT(x)) -> x++ :: else -> break od;
          lockForCall(x, false); below = below & ~BIT(x)
        }
        if
        :: act -> settleByCall(x, false, false)
        :: else ->
#ifndef BROKEN_NOT_BELOW_SETTLED
           walk(x)                                                 /* S: Cancellation.visit: if state.isDone { findPromises(below: promise) } */
#endif
        fi
     fi;
     atomic { x = 0; act = 0; was = false }
  :: !(named || listed || below) && departures ->
     atomic {                                                      /* S: Departing.lockAndRemove: let state = promise.lock() */
       e = 1; do :: !(departures & BIT(e)) -> e++ :: else -> break od;
       x = source[e]; act = 0;
       !lk[x] -> departures = departures & ~BIT(e); gives = (giving & BIT(e)) != 0;
       if
       :: PENDING(x) ->
          assert(list[x] & BIT(e)); assert(count[x] > 0);
          list[x] = list[x] & ~BIT(e); count[x]--;                 /* S: Departing.lockAndRemove: promise.list.remove(entry) */
          if
          :: count[x] == 0 && gives ->       /* S: Cancellation.carryOut: if state.consumers == 0, givingUp */
             act = 1;
#ifndef BROKEN_TWO_SECTIONS
             lockForCall(x, false)
#endif
          :: else
          fi
       :: else
       fi
     }
     if
     :: act ->
#ifdef BROKEN_TWO_SECTIONS
        atomic { lockForCall(x, false) }
        assert(!act || !list[x] && !count[x]);
        if :: act -> settleByCall(x, true, false) :: else fi
#else
        settleByCall(x, true, false)
#endif
     :: else
     fi;
     atomic { x = 0; e = 0; gives = false; was = false; act = 0 }
  :: else -> break
  od
}

proctype Canceller(byte target; bool upstream) {
  LOCALS; byte x;
  d_step {
    up = upstream; named = BIT(target); cancelling++;
    k = 1;
    do
    :: k < N -> if :: BELOW(k, target) && PENDING(k) -> snapshot = snapshot | BIT(k) :: else fi; k++
    :: else -> break
    od;
    k = 0
  }
  settleAll();
  fireAll();
  atomic {                                                         /* the call returns */
    cancelling--; assert(done[target]); owed = owed | snapshot;
    k = 1;
    do
    :: k < N ->
       if
       :: (owed & BIT(k)) ->
          /* It may have left together with a promise that was settled before its source (rule 4.0). */
          assert(done[k] || cancelling || !BELOW(k, target));
          if :: !cancelling && !begun[k] && stage[k] != RUNNING -> forbidden[k] = true :: else fi
       :: else
       fi;
       k++
    :: else -> break
    od;
    if :: !cancelling -> owed = 0 :: else fi;
    snapshot = 0; giving = 0; k = 0
  }
  users--
}

/* AnyPromise.append */
inline attach(e0, to) {
  source[e0] = to;
  atomic {                                                         /* S: Attaching.append: let state = source.lock() */
    !lk[to] -> attached = attached | BIT(e0);
    if
    :: PENDING(to) -> list[to] = list[to] | BIT(e0); count[to]++   /* S: Attaching.append: source.list.append(entry) */
    :: else ->
#ifndef BROKEN_LATE_NOT_PLACED
       place[e0] = to;                                             /* S: Tour.place: TourMark.enter(entry).insert(before: TourMark.exit(self)) */
#endif
#ifndef BROKEN_LATE_OVERTAKES
       if :: !closed[to] -> late[to] = late[to] | BIT(e0) :: else -> act = 1 fi   /* S: Attaching.appendLate: source.sideTable.late.append */
#else
       act = 1
#endif
    fi
  }
  if :: act -> fire(to, e0) :: else fi;                            /* S: Attaching.appendLate: source.fire(PromisePointer(self), &queue) */
  fireAll()
}
proctype Attacher(byte to) { LOCALS; byte x; attach(3, to); users-- }

/* The time limit of entry e0 expires. Cancellation.end */
proctype Expirer(byte e0; bool upstream) {
  LOCALS; byte x;
  x = e0;
  atomic { lockForCall(x, false) }                                 /* S: Cancellation.end: let state = lock() */
  if
  :: act -> settleByCall(x, upstream, true)                        /* S: Cancellation.end: cancellation.settle(self, state, as: ending */
  :: else
  fi;
  x = 0;
  settleAll();
  fireAll();
  atomic { giving = 0; users-- }
}

proctype Owner(bool rejects) {
  LOCALS; byte x;
  atomic { !lk[0] -> if :: PENDING(0) -> endSection(0, rejects, false, false) :: else fi } AFTER_SECTION(0);   /* S: Settling.settle: let state = lock() */
  fireAll();
  users--
}

/* UncheckedJob.run */
proctype Context() {
  LOCALS; byte x;
end:
  do
  :: atomic {
       job[1] || job[2] || job[3] || !users ->
       if
       :: job[1] -> job[1] = false; e = 1
       :: job[2] -> job[2] = false; e = 2
       :: job[3] -> job[3] = false; e = 3
       :: !job[1] && !job[2] && !job[3] -> break
       fi
     }
     atomic {                                                      /* S: Running.start: var state = lock() */
       !lk[e] ->
#ifdef BROKEN_STARTS_ENDED
       runs = true
#else
       runs = stage[e] == SCHEDULED
#endif
       if
       :: runs -> stage[e] = RUNNING; assert(!forbidden[e]); begun[e]++; assert(begun[e] == 1)   /* S: Running.start: state.stage = .running */
       :: else
       fi
     }
     if
     :: runs ->
        atomic {                                                   /* S: Running.endRunning: var state = lock() */
          !lk[e] -> if :: PENDING(e) -> endSection(e, false, false, true) :: else -> stage[e] = ENDED fi
        } AFTER_SECTION(e);
        fireAll()
     :: else
     fi;
     atomic { e = 0; runs = false; act = 0 }
  od
}

inline attachThird() { attached = attached | BIT(3); list[source[3]] = list[source[3]] | BIT(3); count[source[3]]++ }
init {
  byte k;
  atomic {
    do :: k < N -> place[k] = NONE; source[k] = NONE; k++ :: else -> break od;
    source[1] = 0; source[2] = 1; attached = BIT(1) | BIT(2);
    list[0] = BIT(1); count[0] = 1; list[1] = BIT(2); count[1] = 1;
    users = 3;
    if
#if !defined(ONLY) || ONLY == 1
    :: if :: passes = true; run Owner(false) :: run Owner(false) :: run Owner(true) fi;
       if :: k = 0 :: k = 1 :: k = 2 fi; run Canceller(k, k == 2);
       if :: k = 0 :: k = 1 :: k = 2 fi; run Attacher(k)
#endif
#if !defined(ONLY) || ONLY == 2
    :: source[3] = 1; attachThird(); run Owner(false);
       run Canceller(0, false);
       if :: k = 1 :: k = 2 fi; run Canceller(k, true)
#endif
#if !defined(ONLY) || ONLY == 3
    :: source[3] = 1; attachThird();
       if :: run Owner(false) :: run Owner(true) fi;
       run Canceller(0, false);
       if :: k = 1 :: k = 2 fi; run Expirer(k, true)
#endif
#if !defined(ONLY) || ONLY == 4
    :: if :: source[3] = 0 :: source[3] = 1 fi; attachThird();
       if :: run Canceller(2, true) :: run Canceller(2, false) fi;
       if :: run Canceller(3, true) :: run Canceller(3, false) fi;
       if :: k = 1 :: k = 2 fi; run Expirer(k, true)
#endif
    fi;
    k = 0;
    run Context()
  }
  (_nr_pr == 1);
  d_step {
    do
    :: k < N ->
       assert(!lk[k] && !taken[k] && !late[k] && !job[k]);
       assert(!done[k] || closed[k] && !list[k]);
       /* No entry waits for a settled promise. */
       assert(!(attached & BIT(k)) || done[k] || PENDING(source[k]));
       assert(done[k] || count[k] == ((list[k] & 2) != 0) + ((list[k] & 4) != 0) + ((list[k] & 8) != 0));
       assert(!(attached & BIT(k)) || done[k] == !(list[source[k]] & BIT(k)));
       k++
    :: else -> break
    od
  }
}
