/* Requests for what several threads are settling (rule 4.3).  U is settled, and its outcome passes through a reaction to V; W and X are what
   handlers of errors make of V, and Y of W.  Four processes: `Settler` publishes V, and so fires the reactions to W and X; one cancels U or
   V, another W; `Attacher` attaches X to V, at any time.  No handler gets its turn.  Sequentially consistent.

   What is active below a promise is one set here: `family` has the tree.  A reaction stays listed when its target is claimed, for
   a handler of errors runs all the same (rule 2.5).

   What adopts or follows a promise is not below it (rule 4.0), so nothing is below itself: requests cannot go round any more, as they did
   until c6943fd.  That each call requests of each promise only once (CancelCall) is in the engine still, and not needed: without it the
   model holds, and no cycle is found.

   Broken variants: BROKEN_SKIPS_ALL_THAT_IS_SETTLING, BROKEN_SETTLER_STARTS_WITH_NOTHING, BROKEN_CLOSED_MEANWHILE. */

#define U 0
#define V 1
#define W 2
#define X 3
#define Y 4
#define NONE 7
#define REQ(call) (32 << (call))       /* a CancelRequest in a list, by one of two calls */
#define REQS 96
#define BIT(p) (1 << (p))

#define CLAIMED 1
#define DONE    2
#define CLOSED  4

byte st[5], list[5], below[5];
byte requested[2];                    /* CancelCall: of whom each call was requested */
bool xAfter;                          /* X came after a request */
bool xInTime, began;                  /* X was there before any cancel began */

/* V stays below U, which has settled V. */
#define ACTIVE(q) (below[q] | (q == U -> below[V] : 0))

#define LOCALS byte found, seen, settled, own, toFire, cur, got, p, l, call; bool won, again, busy

inline lowest(mask, q) { q = 0; do :: !((mask) & BIT(q)) -> q++ :: else -> break od }

inline work() {
  do
  :: found ->
     atomic {                                                     /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
       lowest(found, p); found = found & ~BIT(p);
       won = !(st[p] & CLAIMED);                                  /* S: Cancellation.visit: claim(.cancelling) */
       if
       :: won ->
          st[p] = CLAIMED | DONE;
          if :: list[p] == 0 -> st[p] = st[p] | CLOSED :: else -> toFire = toFire | BIT(p); own = own | BIT(p) fi;
          found = found | (list[p] & ~REQS); p = 0
       :: else
       fi
     }
     if
     :: won -> won = false
     :: !won ->
        if
        :: atomic { st[p] & CLOSED ->                             /* S: Cancellation.visit: promise.acquiredState.isClosed */
           settled = settled | BIT(p); found = found | (ACTIVE(p) & ~seen); seen = seen | ACTIVE(p); p = 0 }   /* S: FamilyWalk.promisesBelow: walkNextPiece */
        :: else ->
           if :: own & BIT(p) -> p = 0; goto next :: else fi;     /* Cancellation.isClaimedHere */
           atomic {                                               /* S: CancelCall.isFirstRequest: lock.locked */
             if :: requested[call] & BIT(p) -> p = 0; goto next :: else -> requested[call] = requested[call] | BIT(p) fi
           }
#ifndef BROKEN_SKIPS_ALL_THAT_IS_SETTLING
           atomic {                                               /* S: AnyPromise+Attaching.push: word.compareExchange */
             if
#ifdef BROKEN_CLOSED_MEANWHILE
             :: st[p] & CLOSED -> skip
#else
             :: st[p] & CLOSED -> found = found | BIT(p)          /* S: Cancellation.visit: found.append(.below(promise */
#endif
             :: else ->
                /* Nobody leaves anything in a list that it is firing itself: it would find it there, and so on for ever. */
                assert(cur != p);
                list[p] = list[p] | REQ(call); if :: p == V -> xAfter = false :: else fi
             fi;
             p = 0
           }
#else
           p = 0
#endif
        fi
     fi;
next:
     again = true
  :: !found && again ->
     atomic {                                                     /* S: Cancellation.claim: findPromises */
       again = false; l = 0;
       do
       :: l < 5 -> if :: settled & BIT(l) -> found = found | (ACTIVE(l) & ~seen); seen = seen | ACTIVE(l) :: else fi; l++
       :: else -> break
       od;
       l = 0;
       if :: !found -> settled = 0; seen = 0; own = 0 :: else fi   /* the cancellation has claimed */
     }
  :: !found && !again && busy && (got & REQS) ->
     atomic {                                                     /* S: Settlement.carryOut: cancellation.claim() */
       if :: got & REQ(0) -> call = 0 :: else -> call = 1 fi;
       got = got & ~REQ(call);
#ifndef BROKEN_SETTLER_STARTS_WITH_NOTHING
       found = (got & ~REQS & ~(cur == V && xAfter -> BIT(X) : 0)) | ACTIVE(cur);
#else
       found = BIT(cur);
#endif
       if :: cur == V -> xAfter = false :: else fi;
       again = true
     }
  :: !found && !again && busy && got && !(got & REQS) ->
     atomic { lowest(got, l); got = got & ~BIT(l); below[cur] = below[cur] | BIT(l); l = 0 }   /* S: AnyPromise+Family.place: node.insert */
  :: !found && !again && busy && !got ->
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       if
       :: list[cur] -> got = list[cur]; list[cur] = 0
       :: else -> st[cur] = st[cur] | CLOSED; busy = false; cur = NONE
       fi
     }
  :: !found && !again && !busy && toFire ->
     atomic {                                                     /* Cancellation.fire; the reactions were taken when it was published */
       lowest(toFire, cur); toFire = toFire & ~BIT(cur); busy = true; got = list[cur]; list[cur] = 0
     }
  :: else -> break
  od
}

/* The rest of Settlement.complete: V, to which U has passed its outcome, and then the end of that reaction */
proctype Settler() {
  LOCALS; cur = NONE;
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
    st[V] = st[V] | DONE; got = list[V]; list[V] = 0; cur = V; busy = true
  }
  work();
  below[U] = 0                                                    /* S: Reaction+Family.leaveFamily: stripe.locked */
}

proctype Canceller(bool ofW) {
  LOCALS; cur = NONE;
  atomic { if :: !ofW -> found = BIT(U) :: !ofW -> found = BIT(V) :: ofW -> found = BIT(W) fi; call = ofW; began = true; again = true }
  work()
}

/* AnyPromise.attach */
proctype Attacher() {
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    xInTime = !began;
    if
    :: st[V] & CLOSED -> below[V] = below[V] | BIT(X)             /* fired, and active */
    :: else -> xAfter = ((list[V] & REQS) != 0); list[V] = list[V] | BIT(X)
    fi
  }
}

init {
  byte i;
  atomic {
    st[U] = CLAIMED | DONE | CLOSED; below[U] = BIT(V); st[V] = CLAIMED;
    list[V] = BIT(W); list[W] = BIT(Y);
    run Settler(); run Canceller(false); run Attacher();
    if :: run Canceller(true) :: skip fi
  }
  (_nr_pr == 1);
  d_step {
    /* Everything that was below when the first call began is settled, and closed; no request is left. */
    assert((st[W] & st[Y] & st[V] & CLOSED) && (!xInTime || (st[X] & CLOSED)));
    i = 0;
    do :: i < 5 -> assert(!list[i] && (!(st[i] & CLAIMED) || (st[i] & CLOSED))); i++ :: else -> break od
  }
}
