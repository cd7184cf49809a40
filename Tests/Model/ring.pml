/* Three owners, each in a thread of its own, close a ring of adoptions together: 0 follows 1, 1 follows 2, 2 follows 0.
   Rule 3.2: it is found.  Sequentially consistent.

   Each owner looks for the ring in one of two ways, upwards or downwards, as `AnyPromise.isAwaited(by:)` does, whose choice depends on
   their lengths only.  Downwards, what is found is confirmed upwards.

   Broken variants: BROKEN_WALK_BEFORE_EDGE, BROKEN_PUSH_BEFORE_EDGE, BROKEN_CONSUMED_READ_BEFORE_PUSH, BROKEN_SEARCH_BEFORE_PUSH. */

#define N 3
bool claimed[N], done[N], consumed[N], listed[N];
byte edge[N];                         /* 0 nothing, 1 to the next one, 2 retired */
byte cycles = 0;

/* Rejects x, and what adopted it, and so on: claim, leaveAdopted, publish; a forward is won by retiring its edge. */
inline breakRing(x) {
  y = x; stop = false;
  do
  :: !stop ->
     atomic { if :: claimed[y] -> stop = true :: else -> claimed[y] = true fi }      /* S: AnyPromise+Settling.claim: word.compareExchange */
     if
     :: !stop ->
        if :: y == x -> cycles++ :: else fi;
        atomic { if :: edge[y] == 1 -> edge[y] = 2 :: else fi }                      /* S: AnyPromise+Adopting.takeAll: endEdge() */
        atomic { done[y] = true; z = listed[y]; listed[y] = false }                  /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
        y = (y + N - 1) % N;                                                         /* who adopted y */
        if
        :: z -> atomic { if :: edge[y] == 1 -> edge[y] = 2 :: else -> stop = true fi }   /* S: Reaction+Settling.winPassing: adopted.retire */
        :: else -> stop = true
        fi
     :: else
     fi
  :: else -> break
  od
}

/* AnyPromise.waits(for:lookingAtMost:), upwards from the adopted promise */
inline walk() {
  at = to; ring = false;
  do
  :: at == me -> ring = true; break
  :: else ->
     if :: claimed[at] -> break :: else fi;                                          /* S: AnyPromise+Adopting.forEachAwaited: promise.acquiredState */
     if :: edge[at] != 1 -> break :: else fi;                                        /* S: AnyPromise+Adopting.forEachUpstream: producer.read */
     at = (at + 1) % N
  od;
  if :: ring -> breakRing(me) :: else fi
}

/* AnyPromise.search(for:lookingAtMost:), downwards from the adopter */
inline search() {
  at = me; below = false;
  do
  :: claimed[at] -> break                                                            /* S: AnyPromise+Rings.search: promise.stateInOrder */
  :: else ->
     if :: !listed[at] -> break :: else fi;                                          /* S: AnyPromise+Rings.withReactions: word.compareExchange */
     at = (at + N - 1) % N;
     if :: edge[at] != 1 -> break :: else fi;                                        /* S: AnyPromise+Rings.search: reaction.targetInList */
     if :: at == to -> below = true; break :: else fi
  od
}

/* Deferred.follow: addFollow(_:), wait(for:), checkAdoption */
proctype Follower(byte me) {
  byte to, y, at; bool stop, z, ring, before, below;
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
  atomic { if :: edge[me] == 0 -> edge[me] = 1 :: else fi }                          /* S: AnyPromise+Following.addFollow: producer.replace */
#endif
  atomic { consumed[to] = true; z = done[to]; if :: !z -> listed[to] = true :: else fi }   /* S: AnyPromise+Attaching.push: word.compareExchange */
#ifdef BROKEN_PUSH_BEFORE_EDGE
  z = z;
#endif
  if
  :: z ->                                                                            /* attach, fire */
     atomic { if :: edge[me] == 1 -> edge[me] = 2; z = true :: else -> z = false fi }
     if :: z -> breakRing(me); cycles = cycles - 1 :: else fi
  :: else
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
  if                                                                                 /* S: AnyPromise.stateInOrder: word.load */
  :: claimed[me] -> atomic { if :: edge[me] == 1 -> edge[me] = 2 :: else fi }
  :: !claimed[me] && consumed[me] ->
#ifndef BROKEN_SEARCH_BEFORE_PUSH
     if :: below = true :: search() fi;
#endif
     if :: below -> walk() :: else fi
  :: else
  fi
#endif
#endif
}

init {
  byte i;
  atomic { i = 0; do :: i < N -> run Follower(i); i++ :: else -> break od }
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
