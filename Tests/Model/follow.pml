/* What `follow` answers while its promise is cancelled: an owner makes T follow I by the link L, while T is cancelled; then the same
   thread, or another, goes on with I; and another consumer of I, if there is one, leaves.  Sequentially consistent.

   There are two true answers. `true`: the owner came in time, and the cancel has taken I along, or what else wants I has kept it.
   `false`: the owner came too late, and the cancel leaves I alone. So who has cancelled T knows, when that call has returned, what may
   still become of I (rules 3.1 and 4.4).

   Broken variants: BROKEN_NEVER_TOO_LATE, BROKEN_LEFT_TO_CLAIMER, BROKEN_WAS_OPEN_UNASKED,
   BROKEN_TAKEN_ALONG_UNASKED, BROKEN_RIVAL_UNASKED. */

#define CLAIMED   1
#define CANCELLED 2                   /* by a call */
#define DONE      4
#define CLOSED    8
#define LISTED    16                  /* I: L is in the list; T: the observer of cancelWithThis is */
#define UNIT      32
#define COUNT(w)  ((w) >> 5)
#define BYCALL(w) (((w) & CANCELLED) != 0)

/* PinnedReference, as one atomic word (see pinned.pml for the pins). */
#define EMPTY   0
#define LIVE    1
#define RETIRED 2

/* Who has claimed I. */
#define NOBODY    0
#define TAKEN     1                   /* cancelled because T was */
#define PROGRAM   2                   /* fulfilled or cancelled by who goes on with it */
#define UNWANTED  3                   /* cancelled because its other consumer has left */

short wT = 0, wI = 0;
byte inner = EMPTY;                   /* L.inner -> I; the producer of T is L as soon as it is read below */
bool isProducer = false;
bool isFired = false, hasSettled = false;

/* What really is. */
bool isSet = false, hasOther = false, otherLeft = false;
bool isOver = false, answer = false;  /* of the owner's call */
bool hasCancelled = false;            /* the call that cancels T has returned */
bool isLate = false;                  /* I was claimed after that */
bool wasClosedAtFirst = false;       /* I was settled, and all told, before the owner's call */
byte byWhom = NOBODY;

#define LOCALS short old; bool ok, last, taken, passed, isMine; byte edge

/* AnyPromise.claim, of I */
inline claimI(bits, who) {
  atomic {                                                        /* S: AnyPromise+Settling.claim: word.compareExchange */
    if
    :: !(wI & CLAIMED) ->
       wI = (wI & LISTED) | CLAIMED | bits; ok = true;
       assert(byWhom == NOBODY); byWhom = who; isLate = hasCancelled
    :: else -> ok = false
    fi
  }
}

/* The same, of T. */
inline claimT(bits) {
  atomic {                                                        /* S: AnyPromise+Settling.claim: word.compareExchange */
    if
    :: !(wT & CLAIMED) -> wT = wT | CLAIMED | bits; ok = true
    :: else -> ok = false
    fi
  }
}

/* AnyPromise.publishTakingLinks of T: `taken`, there is an observer, which is to be fired. */
inline publishT() {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
    assert((wT & CLAIMED) && !(wT & DONE));
    if :: wT & LISTED -> wT = (wT & ~LISTED) | DONE; taken = true :: else -> wT = wT | DONE | CLOSED; taken = false fi
  }
}

/* AnyPromise.drain and close of T: where it was cancelled, the observer has I cancelled. */
inline drainT() {
  do
  :: taken ->
     ok = false;
     if :: BYCALL(wT) -> claimI(CANCELLED, TAKEN) :: else fi;
     isMine = isMine || ok;
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       if :: wT & LISTED -> wT = wT & ~LISTED :: else -> wT = wT | CLOSED; taken = false fi
     }
  :: else -> break
  od
}

/* Link.pass(outcomeOf:) with winPassing, for the forward L. */
inline fireL() {
  atomic {                                                        /* S: AnyPromise+Settling.winPassing: inner.retire */
    if :: inner == LIVE -> inner = RETIRED; ok = true :: else -> ok = false fi
  }
  if
  :: ok ->
     isFired = true;                                              /* S: Link.becomeFired: word.bitwiseOr */
     claimT(0);
     if :: ok -> hasSettled = true; passed = true :: else fi
  :: else
  fi
}

/* Link.publishTarget, of what was passed to T */
inline publishPassed() {
  if :: passed -> passed = false; publishT(); drainT() :: else fi
}

/* AnyPromise.publish, drain and close of I, whose list holds L or nothing; then T is published, if it was settled by that. */
inline publishI() {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
    assert((wI & CLAIMED) && !(wI & DONE));
    if :: wI & LISTED -> wI = (wI & ~LISTED) | DONE; ok = true :: else -> wI = wI | DONE | CLOSED; ok = false fi
  }
  do
  :: ok ->
     fireL();
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       if :: wI & LISTED -> wI = wI & ~LISTED; ok = true :: else -> wI = wI | CLOSED; ok = false fi
     }
  :: else -> break
  od;
  publishPassed()
}

inline cancelI(who) { claimI(CANCELLED, who); if :: ok -> publishI() :: else fi }

/* AnyPromise.lostConsumer */
inline lostConsumer() {
  atomic {                                                        /* S: AnyPromise+Detaching.takeConsumer: word.compareExchange */
    last = false;
    if
    :: !(wI & CLAIMED) && COUNT(wI) > 0 -> wI = wI - UNIT; last = (COUNT(wI) == 0)
    :: else
    fi
  }
}

/* AdoptingLink.leave: `ok`, the edge was ours to take; then `last`, I has lost its last consumer. */
inline leave() {
  ok = false; last = false;
  edge = inner;                                                   /* S: AnyPromise+Adopting.leave: inner.promise */
  if
  :: edge == LIVE ->
     atomic {                                                     /* S: AnyPromise+Adopting.leave: inner.retire */
       if :: inner == LIVE -> inner = RETIRED; ok = true :: else -> ok = false fi
     }
     if :: ok -> lostConsumer() :: else fi
  :: else
  fi
}

/* AnyPromise.cancelWithThis */
inline cancelWithT() {
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    if :: wT & CLOSED -> ok = true :: else -> wT = wT | LISTED; ok = false fi
  }
  if :: ok && BYCALL(wT) -> cancelI(TAKEN) :: else fi
}

inline say(is) { atomic { isOver = true; answer = is } }

active proctype End() {
  (_nr_pr == 1);
  d_step {
    assert(isOver);
    assert(!(wT & CLAIMED) || (wT & DONE));
    assert(!(wI & CLAIMED) || (wI & DONE));
    /* In time, or too late. Where two calls cancel both at this moment, it may be as if that of T had been the first. */
    assert(answer || (wT & DONE));
    assert(answer || byWhom != TAKEN);
    assert(!answer || !BYCALL(wT) || !wasClosedAtFirst);
    assert(!answer || !BYCALL(wT) || hasOther || byWhom == TAKEN ||
      (byWhom != NOBODY && !isLate) || BYCALL(wI));
    /* Nobody is left waiting, or wanted by nobody. */
    assert(!answer || (wT & DONE) || inner == LIVE);
    assert(!(wI & DONE) || !answer || (wT & DONE));
    assert((wI & CLAIMED) || COUNT(wI) == ((hasOther && !otherLeft) -> 1 : 0) + (inner == LIVE -> 1 : 0))
  }
}

/* AnyPromise.follow */
active proctype Owner() {
  LOCALS; bool wasOpen; short stateT;
  (isSet);
  wasClosedAtFirst = ((wI & CLOSED) != 0);
  if
  :: wT & CLAIMED -> say(false); goto ended                        /* S: AnyPromise+Following.follow: isUnclaimed */
  :: else
  fi;
  isProducer = true;                                              /* S: AnyPromise+Following.become: producer.replace */
  wasOpen = !(wI & CLAIMED);                                      /* S: AnyPromise+Following.follow: other.isUnclaimed */
#ifdef BROKEN_WAS_OPEN_UNASKED
  wasOpen = true;
#endif
  atomic { if :: !(wI & CLAIMED) -> wI = wI + UNIT :: else fi }   /* S: AnyPromise+Detaching.countConsumer: word.compareExchange */
  inner = LIVE;                                                   /* S: AnyPromise+Adopting.wait: inner.publish */
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    if :: wI & CLOSED -> ok = true :: else -> wI = wI | LISTED; ok = false fi
  }
  if
  :: ok ->
     fireL();
     publishPassed();
     if
     :: hasSettled -> say(true)                                   /* S: AnyPromise+Following.follow: link.hasSettledTarget */
     :: else ->
        /* isTakenAlong */
        ok = wasOpen;
        ok = ok && !isFired;                                      /* S: AnyPromise+Following.isTakenAlong: link.state.isFired */
        ok = ok && BYCALL(wT);                                    /* S: AnyPromise.cellInOrder: word.load */
        ok = ok && BYCALL(wI);                                    /* S: AnyPromise+Following.isTakenAlong: other.resolved.cell */
#ifdef BROKEN_TAKEN_ALONG_UNASKED
        ok = false;
#endif
        say(ok)
     fi
  :: else ->
     stateT = wT;                                                 /* S: AnyPromise.cellInOrder: word.load */
#ifdef BROKEN_NEVER_TOO_LATE
     if
     :: stateT & CLAIMED -> leave(); if :: last -> cancelWithT() :: else fi
     :: else
     fi;
     say(true)
#else
     if
     :: BYCALL(stateT) ->
        /* isLeftAlone */
        leave();
        if
        :: ok && !last -> say(false)
        :: else ->
#ifndef BROKEN_LEFT_TO_CLAIMER
           if :: last -> cancelWithT() :: else fi;
#endif
#ifdef BROKEN_RIVAL_UNASKED
           say(true)
#else
           old = wI;                                              /* S: AnyPromise+Following.isLeftAlone: other.resolved.cell */
           say(!(old & CLAIMED) || BYCALL(old))
#endif
        fi
     :: else -> say(true)
     fi;
     /* checkAdoption: what the claim of T may have looked for too early */
     if
     :: stateT & CLAIMED -> leave(); if :: last -> cancelWithT() :: else fi
     :: else
     fi
#endif
  fi;
ended: skip
}

/* Cancels T; then, perhaps, goes on with I. */
active proctype Caller() {
  LOCALS;
  (isSet);
  claimT(CANCELLED);
  if
  :: ok ->
     /* AnyPromise.leaveAdopted: no more than what it sees; then what nobody else wants is claimed, and what waits is fired. */
     if
     :: isProducer -> leave()
     :: else -> last = false
     fi;
     publishT();
     isMine = false;
     if :: last -> claimI(CANCELLED, TAKEN); isMine = ok :: else fi;
     drainT();
     if :: isMine -> publishI() :: else fi
  :: else
  fi;
  hasCancelled = true;
  if
  :: true -> cancelI(PROGRAM)
  :: true -> claimI(0, PROGRAM); if :: ok -> publishI() :: else fi
  :: true
  fi
}

/* Fulfils I, or T, or neither. */
active proctype Rival() {
  LOCALS;
  (isSet);
  if
  :: true -> claimI(0, PROGRAM); if :: ok -> publishI() :: else fi
  :: true ->
     claimT(0);
     if
     :: ok -> if :: isProducer -> leave() :: else fi; publishT(); drainT()
     :: else
     fi
  :: true
  fi
}

/* Somebody else who waits for I, if there is one, stops waiting. */
active proctype Other() {
  LOCALS;
  atomic { if :: true -> hasOther = true; wI = UNIT :: true fi; isSet = true }
  if
  :: hasOther -> otherLeft = true; lostConsumer(); if :: last -> cancelI(UNWANTED) :: else fi
  :: true
  fi
}
