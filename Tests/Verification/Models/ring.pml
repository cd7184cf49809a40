/* Three owners, each in its own thread, close a ring of promises together: 0 follows 1, 1 follows 2, 2 follows 0.
   Checked: the ring is found, and all three promises are settled (rule 3.2). A section under one lock is one step.
   Sequentially consistent.

   Each owner searches for the ring upwards, along the edges, or downwards, along the lists. `AnyPromise.isAwaited(by:)`
   does the same, and chooses by the lengths of both ways only. A ring that is found downwards is confirmed upwards. A
   handler that returns a promise closes a ring in the same way, but writes its edge in its own word. */

#define N 3
bool done[N], consumed[N], listed[N];      /* listed: the list contains the follower of the previous promise */
byte edge[N];                              /* 0: none, 1: to the next promise, 2: ended */
byte cycles;

/* Settles x, which is pending, and passes its rejection on to the promise that follows it, and so on. */
inline breakRing(x) {
  y = x; stop = false;
  do
  :: !stop ->
     atomic {                                                      /* S: Cancellation.end: let state = lock() */
       if
       :: done[y] -> stop = true
       :: else ->
          done[y] = true; z = listed[y]; listed[y] = false;        /* S: Settling.endSection: let entries = list */
          if :: y == x -> cycles++ :: else fi
       fi
     }
     if
     :: !stop ->
        atomic { won = (edge[y] == 1); if :: won -> edge[y] = 2 :: else fi }   /* S: Following.detach: state.stage = .ended */
        if :: won -> atomic { listed[(y + 1) % N] = false; won = false } :: else fi   /* S: Departing.lockAndRemove: promise.list.remove(entry) */
        y = (y + N - 1) % N;                                       /* the promise that follows y */
        if
        :: z -> atomic { if :: edge[y] == 1 -> edge[y] = 2 :: else -> stop = true fi }   /* S: Firing.activateNothing: new.stage = .ended */
        :: else -> stop = true
        fi
     :: else
     fi
  :: else -> break
  od
}

/* AnyPromise.waits(for:lookingAtMost:), upwards from the followed promise */
inline walk() {
  at = to; ring = false;
  do
  :: at == me -> ring = true; break
  :: else ->
     if :: done[at] || edge[at] != 1 -> break :: else fi;          /* S: Rings.appendAwaitedSources: let state = lock() */
     at = (at + 1) % N
  od;
  if :: ring -> breakRing(me) :: else fi
}

/* AnyPromise.search(for:lookingAtMost:), downwards from the follower */
inline search() {
  at = me; below = false;
  do
  :: at == to -> below = true; break
  :: else ->
     if :: done[at] || !listed[at] -> break :: else fi;            /* S: Rings.search: let state = promise.lock() */
     at = (at + N - 1) % N
  od
}

/* AnyPromise.follow */
proctype Owner(byte me) {
  byte to, y, at; bool stop, z, won, ring, before, below;
  to = (me + 1) % N;
#ifdef BROKEN_WALK_BEFORE_EDGE
  walk();
#endif
#ifdef BROKEN_CONSUMED_READ_BEFORE_PUSH
  before = consumed[me];
#endif
#ifdef BROKEN_SEARCH_BEFORE_PUSH
  search();
#endif
#ifndef BROKEN_PUSH_BEFORE_EDGE
  atomic { won = !done[me]; if :: won -> edge[me] = 1 :: else -> edge[me] = 2 fi }   /* S: Following.follow: sideTable.follows.append(follower) */
#else
  won = true;
#endif
  if
  :: won ->
     won = false;
     atomic { z = done[to]; if :: !z -> consumed[to] = true; listed[to] = true :: else fi }   /* S: Attaching.append: source.list.append(entry) */
     if
     :: z ->                                                       /* this thread fires the follower */
        atomic { if :: edge[me] == 1 -> edge[me] = 2 :: else -> z = false fi }   /* S: Attaching.appendLate: source.fire(PromisePointer(self), &queue) */
        if :: z -> breakRing(me); cycles = cycles - 1 :: else fi
     :: else ->
        atomic { if :: edge[me] == 2 -> listed[to] = false :: else fi }   /* S: LookingAgain.lookAgain: let hasEnded = state.stage == .ended */
     fi;
#ifdef BROKEN_PUSH_BEFORE_EDGE
     before = consumed[me];
     edge[me] = 1;
#endif
#ifdef BROKEN_WALK_BEFORE_EDGE
     skip
#else
#if defined(BROKEN_CONSUMED_READ_BEFORE_PUSH) || defined(BROKEN_PUSH_BEFORE_EDGE)
     if :: before -> walk() :: else fi
#else
     if                                                            /* S: Following.follow: after.wasConsumed */
     :: !done[me] && consumed[me] ->
#ifndef BROKEN_SEARCH_BEFORE_PUSH
        if :: below = true :: search() fi;
#endif
        if :: below -> walk() :: else fi
     :: else
     fi
#endif
#endif
  :: else
  fi
}

init {
  byte i;
  atomic { i = 0; do :: i < N -> run Owner(i); i++ :: else -> break od }
  (_nr_pr == 1);
  d_step {
    i = 0;
    do
    :: i < N -> assert(done[i]); assert(edge[i] == 2); assert(!listed[i]); i++
    :: else -> break
    od;
    assert(cycles >= 1)
  }
}
