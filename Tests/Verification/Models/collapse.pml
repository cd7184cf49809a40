/* Collapsing. `q` is pending and has an owner. `a` has adopted `q`, and only the list of `q` retains `a`. The list of
   `a` contains `x`, an adopter or a follower, which a client retains. `c` is another consumer of `q`. A section under
   one lock is one step. The collapsing thread tests the uniqueness of `a` under the lock of `q`, and tries the lock of
   `a` in the next step. References are counted. Sequentially consistent.

   Processes, three or four in a program:
   - collapse `a` into `q`;
   - settle `q`;
   - cancel `x`, or end it without giving anything up;
   - `c` leaves `q` or gives it up;
   - a client that has a weak reference to `a` retains it and attaches a link `m` to it, or cancels it, or returns it
     from a handler, whose promise `y` adopts it and is cancelled meanwhile;
   - a client that retains `a` releases it.

   This model omits late entries and the tour (`settle.pml`, `tour.pml`). A promise is closed when it is settled.

   Checked:
   - no promise is accessed or retained after its deallocation;
   - no entry waits for a settled promise;
   - no entry is lost, or stays in a list after it has ended;
   - the count of consumers is correct;
   - a promise that its last consumer gives up is cancelled;
   - a promise that a client retains, or that has a link, is not collapsed;
   - in the end no collapsed promise stays alive.

   BROKEN_REDIRECTED_FORGOTTEN: a handler returns a promise that is collapsed at that moment. If the promise of the
   handler is cancelled before it is appended to the other list, the other promise is not given up. */

#define N 6
#define Q 0
#define A 1
#define X 2
#define C 3
#define M 4
#define Y 5
#define NONE 15
#define TAKEN 8                            /* inList is TAKEN + p: the thread that settled p fires the entry */

#define WAITING   0
#define RUNNING   1
#define ADOPTING  2
#define ENDED     3

bool lk[N], done[N], rejected[N], byCall[N], forwarded[N], mixed[N], freed[N];
byte stage[N], source[N], inList[N], count[N], rc[N];
bool follower;                             /* x is a follower */
bool lastGave;                             /* ghost: the last consumer that left q gave it up */
bool gone;                                 /* ghost: x has left */
byte held;                                 /* ghost: a client retains a */

#define BIT(p) (1 << (p))
#define PENDING(p) (!done[p] && !forwarded[p])
#define HAS_ENTRIES(p) (inList[A] == (p) || inList[X] == (p) || inList[C] == (p) || inList[M] == (p) || inList[Y] == (p))
#define IS_ADOPTER(e) (stage[e] == ADOPTING)

#define LOCALS byte mine, p, e, act, from, who; bool unique, found, gv

inline touch(p0) { assert(!freed[p0]) }
inline retain(p0) { assert(rc[p0] > 0 && !freed[p0]); rc[p0]++ }
/* The last release deallocates the promise, and releases the promise to which it forwards. */
inline release(p0) {
  atomic {
    assert(rc[p0] > 0); rc[p0]--;
    if
    :: rc[p0] == 0 ->
       assert(!HAS_ENTRIES(p0)); freed[p0] = true;
       if
       :: forwarded[p0] -> assert(rc[Q] > 0); rc[Q]--; if :: rc[Q] == 0 -> freed[Q] = true :: else fi
       :: else
       fi
    :: else
    fi
  }
}

/* Settles a locked pending promise, which the caller or the former reference of its list retains. */
inline endSection(p0, how, called) {
  d_step {
    assert(PENDING(p0)); touch(p0);
    done[p0] = true; rejected[p0] = how; byCall[p0] = called; count[p0] = 0;
    if :: inList[A] == p0 -> inList[A] = TAKEN + p0 :: else fi;
    if :: inList[X] == p0 -> inList[X] = TAKEN + p0 :: else fi;
    if :: inList[C] == p0 -> inList[C] = TAKEN + p0 :: else fi;
    if :: inList[M] == p0 -> inList[M] = TAKEN + p0 :: else fi;
    if :: inList[Y] == p0 -> inList[Y] = TAKEN + p0 :: else fi;
    mine = mine | BIT(p0)
  }
}
/* Fires the entry e of the settled promise p, and releases the reference of the list. Firing.activateNothing */
inline fire() {
  atomic {                                                         /* S: Firing.activate: var state = entry.lock() */
    !lk[e] -> touch(p); touch(e); inList[e] = NONE; source[e] = NONE; act = 0;   /* S: Firing.activateNothing: entry.link.pointee.source = nil */
    if
    :: (stage[e] == WAITING || stage[e] == ADOPTING) && PENDING(e) && (e == X && follower || rejected[p]) -> stage[e] = ENDED; act = 2
    :: (stage[e] == WAITING || stage[e] == ADOPTING) && PENDING(e) && !(e == X && follower || rejected[p]) ->
       stage[e] = ENDED; endSection(e, false, false); act = 1      /* S: Firing.activateNothing: entry.settle(new, with: .value(copyValue())) */
    :: else
    fi
  }
  if
  :: act == 2 ->
     atomic {                                                      /* S: Firing.reject: entry.settle( */
       !lk[e] -> act = 0; touch(e); if :: PENDING(e) -> endSection(e, rejected[p], false); act = 1 :: else fi
     }
  :: else
  fi;
  if :: !act -> release(e) :: else fi;                             /* S: Firing.reject: PromisePointer(entry).release() */
  act = 0
}
/* Fires the entries of the settled promises in `mine`, and releases these promises. */
inline fireAll() {
  do
  :: mine ->
     d_step { p = 0; do :: !(mine & BIT(p)) -> p++ :: else -> break od; mine = mine & ~BIT(p); e = 1 }
     do
     :: e < N && inList[e] == TAKEN + p -> fire(); e++
     :: e < N && inList[e] != TAKEN + p -> e++
     :: else -> break
     od;
     release(p);                                                   /* S: Firing.fire: promise.release() */
     atomic { p = 0; e = 0 }
  :: else -> break
  od
}

/* Settles p, which is locked and has no consumer left. If p is a, it gives up the promise that it has adopted next. */
inline giveUp() {
  rc[p]++;
  if
  :: p == A && stage[A] == ADOPTING -> from = source[A]; retain(from); source[A] = NONE; stage[A] = ENDED; rc[A]++; found = true; who = A
  :: else
  fi;
  endSection(p, true, true);
  /* The promise p is released below, and p becomes the promise that it has adopted. */
  if :: from != NONE -> act = p; p = from; from = act; act = 0 :: else fi
}
/* Carries out the departure of e0 from p, which the caller retains. NONE: no consumer departs. Releases p. */
inline depart(e0, gives) {
  atomic { found = true; who = e0; gv = gives }
  do
  :: found ->
     atomic {                                                      /* S: Departing.lockAndRemove: let state = promise.lock() */
       !lk[p] -> touch(p);
       if
#ifdef BROKEN_LEAVES_FORWARDED
       :: forwarded[p] -> found = false
#else
       :: forwarded[p] -> retain(Q); from = p; p = Q               /* S: Departing.lockAndRemove: promise = promise.resolved */
#endif
       :: done[p] -> found = false
       :: PENDING(p) ->
          found = false;
          if
          :: who == NONE ->
             if :: count[p] == 0 && gv -> giveUp() :: else fi
          :: who != NONE && inList[who] == p ->
             inList[who] = NONE; assert(count[p] > 0); count[p]--; rc[who]--; assert(rc[who] > 0);   /* S: Departing.lockAndRemove: promise.list.remove(entry) */
             if :: p == Q -> lastGave = gv :: else fi;
             if :: count[p] == 0 && gv -> giveUp() :: else fi      /* S: Cancellation.carryOut: if state.consumers == 0, givingUp */
          :: else                                                  /* S: Departing.lockAndRemove: The thread that appends it looks again. */
          fi
       fi
     }
     if :: from != NONE -> release(from); from = NONE :: else fi
  :: else -> break
  od;
  if :: who != e0 -> release(who) :: else fi;
  atomic { who = NONE; gv = false }
}
/* Cancels e0, a waiting, running or adopting entry, or ends it without giving up its source. */
inline endEntry(e0, gives) {
  atomic {                                                         /* S: Cancellation.visit: let state = promise.lock() */
    !lk[e0] -> touch(e0); p = NONE;
    if
    :: PENDING(e0) ->
       p = source[e0];
       if
       :: stage[e0] == ADOPTING || stage[e0] == WAITING ->
#ifdef BROKEN_SOURCE_NOT_RETAINED
          touch(p);
#else
          retain(p);                                               /* S: Departing.end: source = unsafe entry.link.pointee.source?.strong */
#endif
          source[e0] = NONE; stage[e0] = ENDED
       :: else -> p = NONE
       fi;
       rc[e0]++; endSection(e0, true, gives)
    :: else
    fi
  }
  if
  :: p != NONE ->
#ifdef BROKEN_SOURCE_NOT_RETAINED
     retain(p);
#endif
     depart(e0, gives); release(p)
  :: else
  fi;
  fireAll()
}

/* AnyPromise.collapseNewestAdopter of q */
proctype Collapser() {
  LOCALS; byte moved;
  from = NONE; who = NONE;
  atomic {                                                         /* S: Collapsing.collapseNewestAdopter: last.isUnique */
    !lk[Q] ->
    if
#ifdef BROKEN_UNIQUENESS_UNTESTED
    :: PENDING(Q) && inList[A] == Q -> lk[Q] = true; unique = true
#else
    :: PENDING(Q) && inList[A] == Q && rc[A] == 1 -> lk[Q] = true; unique = true
#endif
    :: else
    fi
  }
  if
  :: unique ->
     atomic {                                                      /* S: Collapsing.collapse: adopter.tryLock() */
       touch(A);
       if
#ifdef BROKEN_MIXED_UNTESTED
       :: !lk[A] && PENDING(A) && IS_ADOPTER(A) && HAS_ENTRIES(A) ->
#else
       :: !lk[A] && PENDING(A) && IS_ADOPTER(A) && !mixed[A] && HAS_ENTRIES(A) ->   /* S: Collapsing.collapse: theirs.hasOnlyMovableEntries */
#endif
          assert(!held);
          if :: inList[X] == A -> inList[X] = Q; moved = moved | BIT(X); rc[X]++ :: else fi;   /* S: Collapsing.collapse: list.replace(adopter, by: adopter.list) */
          if :: inList[Y] == A -> inList[Y] = Q; moved = moved | BIT(Y); rc[Y]++ :: else fi;
          if :: inList[M] == A -> assert(false) :: else fi;
          inList[A] = NONE; source[A] = NONE; stage[A] = ENDED;
          retain(Q); forwarded[A] = true;                          /* S: Collapsing.collapse: adopter.forward(to: self) */
#ifndef BROKEN_COUNT_STAYS
          count[Q] = count[Q] + count[A];                          /* S: Collapsing.collapse: addingConsumers(1 + (others?.count ?? 0)) */
#endif
          assert(count[Q] > 0); count[Q]--; count[A] = 0
       :: else -> unique = false
       fi;
       lk[Q] = false
     }
     if
     :: unique ->
#ifdef BROKEN_RELEASED_FIRST
        release(A);
#endif
        e = 0;
        do
        :: moved ->
           d_step { e = 1; do :: !(moved & BIT(e)) -> e++ :: else -> break od; moved = moved & ~BIT(e) }
#ifndef BROKEN_SOURCE_STAYS
           atomic {                                                /* S: Collapsing.resolveSource: unsafe link.pointee.source = source.with */
             !lk[e] -> touch(e);
             if
#ifdef BROKEN_FOLLOWERS_SOURCE_STAYS
             :: stage[e] == ADOPTING && source[e] != NONE ->
#else
             :: (stage[e] == ADOPTING || stage[e] == WAITING) && source[e] != NONE ->
#endif
                touch(source[e]); if :: forwarded[source[e]] -> source[e] = Q :: else fi
             :: else
             fi
           }
#endif
           release(e)
        :: else -> break
        od;
#ifndef BROKEN_RELEASED_FIRST
        release(A);                                                /* S: Collapsing.collapseNewestAdopter: last.release() */
#endif
        skip
     :: else
     fi
  :: else
  fi;
  release(Q);
  atomic { e = 0; unique = false }
}

proctype Owner(bool rejects) {
  LOCALS;
  from = NONE; who = NONE;
  atomic { !lk[Q] -> if :: PENDING(Q) -> rc[Q]++; endSection(Q, rejects, false) :: else fi }   /* S: Settling.settle: let state = lock() */
  fireAll();
  release(Q)
}

/* Cancels x or, for a follower, detaches it because its promise was cancelled. Or ends x without giving anything up. */
proctype Ender(bool gives) {
  LOCALS;
  from = NONE; who = NONE;
  endEntry(X, gives);                                              /* S: Following.detach: if !isScheduled { source?.retain() } */
  gone = true;
  release(X)
}

proctype Consumer(bool gives) {
  LOCALS;
  from = NONE; who = NONE;
  endEntry(C, gives);
  release(C)
}

/* AnyPromise.append of e0 to p, which the caller retains */
inline append(e0, looksAgain) {
  found = true;
  do
  :: found ->
     atomic {                                                      /* S: Attaching.append: let state = source.lock() */
       !lk[p] -> touch(p); act = 0; found = false;
       if
       :: PENDING(p) ->
          inList[e0] = p; count[p]++; rc[e0]++; act = 1;           /* S: Attaching.append: source.list.append(entry) */
          if :: e0 == M -> mixed[p] = true :: else fi
       :: forwarded[p] -> retain(Q); from = p; p = Q; act = 2      /* S: Attaching.appendLate: redirect(to: source.forwardee.resolved */
       :: done[p] -> rc[e0]++; act = 4   /* S: Attaching.appendLate: source.fire(PromisePointer(self), &queue) */
       fi
     }
     if
     :: act == 2 ->
        release(from);
        atomic {                                                   /* S: Attaching.redirect: var state = lock() */
          !lk[e0] -> from = NONE; act = 0;
          if
          :: (stage[e0] == WAITING || stage[e0] == ADOPTING) && source[e0] != NONE -> source[e0] = p; found = true
          :: else -> act = 3                                       /* S: Attaching.redirect: givesUpAfterEnd(state) */
          fi
        }
     :: else
     fi
  :: else -> break
  od;
  if
  :: act == 1 && looksAgain ->
     atomic { !lk[e0] -> act = (stage[e0] == ENDED) }              /* S: LookingAgain.lookAgain: let hasEnded = state.stage == .ended */
#ifndef BROKEN_NO_SECOND_LOOK
     if :: act -> act = 0; depart(e0, byCall[e0]) :: else fi       /* S: LookingAgain.lookAgain: Departure(promise: source, entry: self) */
#endif
  :: act == 4 -> act = 0; e = e0; fire(); e = 0
#ifndef BROKEN_REDIRECTED_FORGOTTEN
  :: act == 3 && byCall[e0] -> act = 0; depart(NONE, true)
#endif
  :: else
  fi;
  act = 0
}
/* A client with a weak reference to a. With `how` 0 it attaches a link, with 1 it cancels a, and with 2 it returns a
   from the handler of y. */
proctype Client(byte how) {
  LOCALS;
  from = NONE; who = NONE;
  atomic { if :: rc[A] > 0 -> rc[A]++; found = true :: else fi }
  if
  :: found && how == 0 ->
     source[M] = A; rc[M] = 1; retain(A); p = A;
     append(M, false); release(p); fireAll(); release(A)
  :: found && how == 1 ->
     found = false;
     atomic { !lk[A] -> act = PENDING(A); lk[A] = act }
     if
     :: act ->
        lk[A] = false; act = 0; rc[A]++; endEntry(A, true); release(A)
     :: else -> retain(A); p = A; depart(NONE, true); release(p); fireAll()   /* S: Cancellation.add: add(Departure(promise: promise.resolved), givingUp: true) */
     fi;
     release(A)
  :: found && how == 2 ->
     atomic { if :: forwarded[A] -> retain(Q); p = Q :: else -> retain(A); p = A fi }   /* S: Adopting.adopt: $0.resolved */
     atomic {                                                      /* S: Adopting.beginAdopting: var state = lock() */
       !lk[Y] -> act = PENDING(Y);
       if :: act -> source[Y] = p; stage[Y] = ADOPTING :: else -> stage[Y] = ENDED fi   /* S: Adopting.beginAdopting: state.stage = .adopting */
     }
     if
     :: act -> append(Y, true)
     :: else -> if :: byCall[Y] -> depart(NONE, true) :: else fi   /* S: Adopting.giveUp: Departure(promise: resolved) */
     fi;
     release(p); fireAll(); release(A)
  :: else
  fi;
  if :: how == 2 -> release(Y) :: else fi;
  if :: how == 0 && rc[M] > 0 && source[M] != NONE -> skip :: else fi;
  atomic { act = 0; p = 0; found = false }
}
/* Cancels y, once x has left. */
proctype CancelsY() { LOCALS; from = NONE; who = NONE; gone; endEntry(Y, true); release(Y) }
/* A client that has retained a from the beginning */
proctype Holder() { LOCALS; from = NONE; who = NONE; assert(!forwarded[A]); held--; release(A) }

init {
  byte e;
  atomic {
    do :: e < N -> source[e] = NONE; inList[e] = NONE; e++ :: else -> break od;
    e = 0;
    rc[Q] = 2;                                                     /* the owner or its running work; the collapser */
    stage[A] = ADOPTING; source[A] = Q; inList[A] = Q; count[Q] = 1; rc[A] = 1;
    if :: stage[X] = ADOPTING :: stage[X] = WAITING; follower = true fi;
    source[X] = A; inList[X] = A; count[A] = 1; rc[X] = 2;
    stage[Y] = RUNNING; rc[C] = 1; rc[Y] = 1;
    run Collapser();
    if
    :: run Owner(false); run Ender(true)
    :: run Owner(true); run Ender(false)
    :: inList[C] = Q; source[C] = Q; count[Q]++; rc[C]++; run Ender(true);
       if :: run Consumer(true) :: run Consumer(false) fi
    :: if :: run Client(0) :: run Client(1) fi; run Ender(true)
    :: if :: run Client(0) :: run Client(1) fi; run Owner(false)
    :: rc[Y] = 2; run Client(2); run CancelsY(); run Ender(false)
    :: rc[Y] = 2; gone = true; run Client(2); run CancelsY(); run Owner(false)
    :: rc[A]++; held = 1; run Holder(); run Ender(true)
    fi
  }
  (_nr_pr == 1);
  d_step {
    /* The counts of q and a are correct. */
    assert(done[Q] || count[Q] == (inList[A] == Q) + (inList[X] == Q) + (inList[C] == Q) + (inList[M] == Q) + (inList[Y] == Q));
    assert(done[A] || forwarded[A] || count[A] == (inList[X] == A) + (inList[M] == A) + (inList[Y] == A));
    assert(done[Q] || count[Q] || !lastGave);
    do
    :: e < N ->
       assert(!lk[e]);
       /* A waiting entry is in the list of its source, which is pending. */
       assert(inList[e] < TAKEN || inList[e] == NONE);
       assert(inList[e] == NONE || PENDING(e) && PENDING(inList[e]) && source[e] == inList[e]);
       assert(e == Q || done[e] || forwarded[e] || inList[e] != NONE || e == M && !rc[M] || e == C && source[C] == NONE || e == Y && stage[Y] == RUNNING);
       e++
    :: else -> break
    od;
    /* The entry y has given up q last. */
    assert(!(byCall[Y] && gone && inList[X] == NONE) || done[Q] || forwarded[A] == 0 && rc[A] == 0 || count[Q] || stage[Y] == RUNNING);
    assert(freed[A] == (rc[A] == 0));
    /* A collapsed promise does not stay alive. */
    assert(!forwarded[A] || freed[A])
  }
}
