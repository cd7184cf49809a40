/* The identity promise of an owner who wants to know that nobody is interested (WeakReaction, Observation): it retains itself while
   it has consumers, and its end cancels the source.  Four processes: the owner fulfils the source; two clients, each with a
   reference of its own, attach a consumer, let it leave or give up, or cancel the identity, and let it go.  Sequentially consistent.

   The reaction is freed when the source has fired it; the canceller looks into it under a pin.

   This is the engine, after what it found was mended.  At 642c63a the identity is retained after the exchange (BROKEN_RETAIN_AFTER), and
   the reaction's end does not wait for pins (BROKEN_LINK_GOES_UNRETIRED).

   Broken variants: BROKEN_RETAIN_AFTER, BROKEN_RELEASE_BEFORE, BROKEN_LINK_GOES_UNRETIRED, BROKEN_STRONG_LINK,
   BROKEN_CLAIM_KEEPS, BROKEN_GIVING_UP_KEEPS, BROKEN_TWO_STEPS, BROKEN_LEAVING_GIVES_UP. */

#define CLAIMED 1
#define UNIT    2
#define COUNT(w) ((w) >> 1)

/* ReactionWord */
#define STARTED  1
#define DETACHED 2

#define RETIRED 1
#define PIN     2

byte word = 0;                        /* of the identity: claimed, count of consumers */
byte rc = 2;                          /* strong references to the identity: the clients' */
bool gone = false;                    /* the identity is in its deinit, or freed */
byte kept = 0;                        /* ghost: by itself; may be -1 for a moment only in a broken variant */
byte source = 0;                      /* of the source: claimed; */
bool cancelled = false;               /* the source was, by a call */
byte reaction = 0, producer = 0;          /* the reaction's word, and the identity's reference to it */
bool linkFreed = false, bodyTaken = false;
bool byCall = false;                  /* a client cancels */
byte wanted = 0;                      /* ghost: consumers attached */
bool cancelledInUse = false;          /* ghost: the identity was cancelled while somebody held it */
bool gaveUp = false;                  /* ghost: a consumer gives the identity up */

inline retain()  { atomic { assert(!gone); rc++ } }
inline release() {
  atomic {
    assert(!gone && rc > 0); rc--;
    dying = (rc == 0);
    if :: dying -> gone = true; assert(COUNT(word) == 0 || (word & CLAIMED)) :: else fi
  }
  if :: dying -> deinit() :: else fi
}
/* AnyPromise.deinit, endUnobserved; DeferredSettlements.cancel */
inline deinit() {
  atomic {                                                        /* S: Observation.endUnobserved: DeferredSettlements.cancel */
    if
    :: !(word & CLAIMED) && !source -> source = 1; cancelled = true; linkFreed = true
    :: else
    fi
  }
}
inline cancelSource() {
  cancelledInUse = true;
  atomic { won = !source; source = 1; if :: won -> cancelled = true :: else fi }   /* S: AnyPromise+Settling.claim: word.compareExchange */
  if :: won -> fireLink() :: else fi
}

/* push or addConsumer, and keepWhileConsumed */
inline consume() {
#ifndef BROKEN_RETAIN_AFTER
  /* Retained in advance, for the case that this is the first. */
  retain();
#endif
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    assert(!gone);
    won = !(word & CLAIMED); first = won && COUNT(word) == 0;
    if :: won -> word = word + UNIT; wanted++ :: else fi
  }
#ifdef BROKEN_RETAIN_AFTER
  if :: first -> retain() :: else fi;
#else
  if :: !first -> release() :: else fi;
#endif
  first = false
}

/* removeConsumer, letGoUnconsumed */
inline leave() {
#ifdef BROKEN_RELEASE_BEFORE
  if :: COUNT(word) == 1 && !(word & CLAIMED) -> release() :: else fi;
#endif
  atomic {                                                        /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    assert(!gone);
    first = !(word & CLAIMED) && COUNT(word) == 1;
    wanted--;
    if :: !(word & CLAIMED) -> word = word - UNIT :: else fi
  }
#ifndef BROKEN_RELEASE_BEFORE
  if :: first -> release() :: else fi;
#endif
  first = false
}

/* AnyPromise.giveUp, by a consumer: the last claims the identity in the same step, which then lets itself go; `won` */
inline giveUp() {
#ifdef BROKEN_TWO_STEPS
  atomic { wanted--; won = !(word & CLAIMED) && COUNT(word) == 1; if :: !(word & CLAIMED) -> word = word - UNIT :: else fi }
  if
  :: won -> atomic { won = !(word & CLAIMED); if :: won -> word = word | CLAIMED; assert(!wanted) :: else fi }
     release()
  :: else
  fi
#else
  atomic {                                                        /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
    assert(!gone);
    won = !(word & CLAIMED) && COUNT(word) == 1;
    wanted--;
    if
    :: won -> word = CLAIMED; assert(!wanted)
    :: !won && !(word & CLAIMED) -> word = word - UNIT
    :: else
    fi
  }
#ifndef BROKEN_GIVING_UP_KEEPS
  if :: won -> release() :: else fi
#endif
#endif
}

/* AnyPromise.claim of the identity, which the caller holds */
inline claim() {
  atomic {                                                        /* S: AnyPromise+Settling.claim: word.compareExchange */
    assert(!gone);
    won = !(word & CLAIMED); first = won && COUNT(word) > 0;
    if :: won -> word = CLAIMED :: else fi
  }
#ifndef BROKEN_CLAIM_KEEPS
  if :: first -> release() :: else fi;
#endif
  first = false
}

/* The source, settled, fires the reaction: Reaction.pass, winPassing, holdTarget, claim, Reaction.end, WeakReaction.deinit */
inline fireLink() {
  atomic { held = !(reaction & DETACHED); reaction = reaction | STARTED }     /* S: AnyPromise+Settling.winPassing: start() */
  if
  :: held ->
     atomic {                                                     /* S: WeakReaction.holdTarget: let identity */
#ifdef BROKEN_STRONG_LINK
       held = true; rc++; assert(!gone)
#else
       held = !gone; if :: held -> rc++ :: else fi
#endif
     }
     if
     :: held ->
        claim();
        atomic { (producer < PIN); producer = producer | RETIRED }   /* S: AnyPromise+Settling.stopSettling: producer.retire */
        linkFreed = true;
        release()
     :: else -> linkFreed = true
     fi
  :: else ->
     /* Detached: the reaction goes at once.  Whoever looks into it under a pin must be waited for. */
#ifndef BROKEN_LINK_GOES_UNRETIRED
     atomic { held = !gone; if :: held -> rc++ :: else fi }       /* S: WeakReaction.deinit: let identity */
     if
     :: held -> atomic { (producer < PIN); producer = producer | RETIRED } linkFreed = true; release()
     :: else -> linkFreed = true
     fi
#else
     linkFreed = true
#endif
  fi;
  held = false
}

/* Cancellation.visit of the identity; leaveUpstream, LeavingLink.take.  To cancel it is to cancel what it stands for. */
inline cancel() { claim(); endIdentity() }
inline endIdentity() {
  if
  :: won ->
     atomic { pinned = !(producer & RETIRED); if :: pinned -> producer = producer + PIN :: else fi }   /* S: PinnedReference.pin: word.compareExchange */
     if
     :: pinned ->
        assert(!linkFreed);
        atomic { held = !(reaction & (STARTED | DETACHED)); reaction = reaction | DETACHED }   /* S: Reaction.detach: word.bitwiseOr */
        if :: held -> assert(!linkFreed); bodyTaken = true :: else fi;   /* takeBodies */
        assert(!linkFreed);                                       /* location(of: reaction) */
        atomic { producer = producer - PIN }                      /* S: PinnedReference.unpin: word.wrappingSubtract */
        atomic { (producer < PIN); producer = producer | RETIRED }   /* S: Leaving.takeAll: producer.retire */
     :: else
     fi;
     pinned = false; held = false;
     cancelSource()                                               /* isIdentity: found */
  :: else
  fi
}

#define LOCALS bool won, first, held, dying, pinned

active proctype End() {
  (_nr_pr == 1);
  d_step {
    /* No leak: once the source is settled, or nobody wants the identity, it is gone. */
    assert(!(source) || gone);
    assert(gone == (rc == 0));
    /* It is still there only for those who wait; then the source is pending. */
    assert(gone || (COUNT(word) > 0 && wanted == COUNT(word) && !source));
    /* Cancelled if, and only if, nobody wanted it or a client said so. */
    assert(!cancelled || byCall || wanted == 0);
    assert(!(word & CLAIMED) || source);
    assert(!cancelledInUse || byCall || gaveUp);
    assert(!gone || source);
    assert(!source || linkFreed)
  }
}

/* Deferred.fulfill, or nothing at all */
active proctype Owner() {
  LOCALS;
  if
  :: atomic { won = !source; source = 1 }                         /* S: AnyPromise+Settling.claim: word.compareExchange */
     if :: won -> fireLink() :: else fi
  :: skip
  fi
}

active [2] proctype Client() {
  LOCALS;
  if
  :: consume();
     if
#ifdef BROKEN_LEAVING_GIVES_UP
     :: won -> if :: giveUp(); endIdentity() :: skip fi
#else
     :: won -> if :: leave() :: gaveUp = true; giveUp(); endIdentity() :: skip fi
#endif
     :: else
     fi
  :: byCall = true; cancel()
  :: consume(); byCall = true; cancel()
  :: skip
  fi;
  release()
}
