/* An owner makes T, which follows J by the reaction E, follow I too, by the reaction L, while T is cancelled or settled in another way; then the
   same thread, or another, goes on with I; and another consumer of I, if there is one, leaves it or gives it up.  Sequentially consistent.

   If T is cancelled, I and J are given up, each exactly once; if it is settled otherwise, they are left (rules 3.1, 3.4 and 4.4).  What
   `follow` answers: `true`, the owner came in time, and whoever settles T finds the edge; `false`, it came too late, and gives I up itself if
   T was cancelled.  While both are under way there are two true answers.

   J may be settled, too.  Whoever claims T leaves the edges that no settlement has ended, before its call returns: a thread that only
   passes an outcome, and comes too late, steps down, so that the claimer finds the older edge.

   Broken variants: BROKEN_NEVER_TOO_LATE, BROKEN_LEFT_TO_CLAIMER, BROKEN_WAS_OPEN_UNASKED,
   BROKEN_TAKEN_ALONG_UNASKED, BROKEN_RIVAL_UNASKED, BROKEN_NOT_STEPPED_DOWN, BROKEN_STEPPED_ONTO_ENDED, BROKEN_LEAVES_FOR_CLAIMER (as
   it was at df3a6fb), BROKEN_READ_ONLY_LIVE, BROKEN_LATE_COMER_LEAVES, BROKEN_ALWAYS_GIVES_UP, BROKEN_UNCOUNTED_IS_COUNTED. */

#define CLAIMED   1
#define CANCELLED 2                   /* by a cancellation */
#define DONE      4
#define CLOSED    8
#define LISTED    16                  /* I: L is in the list */
#define OBSERVED  16                  /* T: the observers of giveUpWithThis are in the list */
#define UNIT      32
#define COUNT(w)  ((w) >> 5)
#define BYCALL(w) (((w) & CANCELLED) != 0)

/* PinnedReference, as one atomic word (see pinned.pml for the pins). */
#define EMPTY   0
#define LIVE    1
#define RETIRED 2

/* The producer of T */
#define TO_E 1
#define TO_L 2
#define GONE 3

/* What is to be given up, or left */
#define OF_I      1
#define OF_J      2
#define UNCOUNTED 4                   /* I, by an owner who came too late */

byte wT = 0; short wI = 0;
byte listT = 0;                       /* what the observers in the list of T are about */
byte producer = TO_E;
byte adopted = EMPTY, innerE = LIVE;    /* L.adopted -> I, E.adopted -> J */
byte countJ = 1;                      /* E */
bool settledJ = false;
bool cancelledJ = false;
bool isFired = false, hasSettled = false;   /* L */

/* What really is. */
bool isSet = false, hasOther = false, otherGone = false;
bool isOver = false, answer = false;  /* of the owner's call */
bool hasCancelled = false;            /* the call that cancels T has returned */
bool wasCancelled = false;            /* before the owner's call */
bool wasClosedAtFirst = false;        /* I was settled, and all told, before the owner's call */
bool sawCalled = false;               /* the owner has seen that T is cancelled, after it has published the edge */
bool callerTook = false;              /* the edge to I was taken by whoever has claimed T */
bool ownerGave = false;               /* the owner gives I up itself */
bool lastGave = false;                /* the last who went from I gave it up */
bool programmed = false;              /* I was cancelled by name, or given up by the other */
byte gaveI = 0, leftI = 0, leftJ = 0, gaveJ = 0;

#define LOCALS byte dep, todo; bool ok, passed, down, took; byte edge

#ifdef BROKEN_ALWAYS_GIVES_UP
#define TOLD true
#else
#define TOLD BYCALL(wT)
#endif

/* AnyPromise.claim, of I, and of T */
inline claimI(bits) {
  atomic {                                                        /* S: AnyPromise+Settling.claim: word.compareExchange */
    ok = !(wI & CLAIMED);
    if :: ok -> wI = (wI & LISTED) | CLAIMED | bits :: else fi
  }
}
inline claimT(bits) {
  atomic {                                                        /* S: AnyPromise+Settling.claim: word.compareExchange */
    ok = !(wT & CLAIMED);
    if :: ok -> wT = wT | CLAIMED | bits :: else fi
  }
}

/* Departure.leave, or Cancellation.visit, of all in `dep` */
inline depart(gives) {
  if
  :: (dep & OF_J) && (gives) -> atomic { gaveJ++; if :: countJ == 1 && !settledJ -> cancelledJ = true :: else fi; countJ-- }
  :: (dep & OF_J) && !(gives) -> atomic { leftJ++; countJ-- }
  :: else
  fi;
  if
  :: (dep & OF_I) && (gives) ->
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
       gaveI++; ok = false;
       if
       :: !(wI & CLAIMED) && COUNT(wI) <= ((dep & UNCOUNTED) -> 0 : 1) ->
          assert(COUNT(wI) == ((hasOther && !otherGone) -> 1 : 0) + ((dep & UNCOUNTED) -> 0 : 1));
          wI = (wI & LISTED) | CLAIMED | CANCELLED; ok = true
#ifdef BROKEN_UNCOUNTED_IS_COUNTED
       :: !(wI & CLAIMED) && COUNT(wI) > ((dep & UNCOUNTED) -> 0 : 1) -> wI = wI - UNIT; lastGave = true
#else
       :: !(wI & CLAIMED) && COUNT(wI) > ((dep & UNCOUNTED) -> 0 : 1) ->
          if :: dep & UNCOUNTED -> skip :: else -> wI = wI - UNIT; lastGave = true fi
#endif
       :: else
       fi
     }
     /* Nothing that waits there is fired: L's edge is gone. */
     if
     :: ok -> atomic { assert(adopted != LIVE); wI = (wI & ~LISTED) | DONE | CLOSED }   /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
     :: else
     fi
  :: (dep & OF_I) && !(gives) ->
     leftI++;
     if :: dep & UNCOUNTED -> skip :: else -> removeConsumer() fi
  :: else
  fi;
  dep = 0
}
inline removeConsumer() {
  atomic {                                                        /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    if :: !(wI & CLAIMED) -> assert(COUNT(wI) > 0); wI = wI - UNIT; lastGave = false :: else fi
  }
}

/* AnyPromise.publishTakingReactions of T, drain and close: what observes T there is told */
inline publishT() {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
    assert((wT & CLAIMED) && !(wT & DONE)); wT = wT | DONE;
    todo = listT; listT = 0; if :: !todo -> wT = wT | CLOSED :: else fi
  }
}
/* The observers of giveUpWithThis */
inline drainT() {
  do
  :: todo ->
     dep = todo; todo = 0;
     depart(TOLD);
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       todo = listT; listT = 0; if :: !todo -> wT = wT | CLOSED :: else fi
     }
  :: else -> break
  od
}

/* AnyPromise.giveUpWithThis, for what is in `dep`. T is claimed. */
inline giveUpWithT() {
  if
  :: dep ->
     atomic {                                                     /* S: AnyPromise+Attaching.push: word.compareExchange */
       assert(wT & CLAIMED);
       ok = ((wT & CLOSED) != 0);
       if :: !ok -> assert(!(listT & dep & 3)); listT = listT | dep; dep = 0 :: else fi
     }
     if :: ok -> depart(TOLD) :: else fi
  :: else
  fi
}

inline retire(reaction) {
  atomic { if :: producer == reaction -> producer = GONE :: else fi }   /* S: AnyPromise+Adopting.takeAdopted: producer.retire S: AnyPromise+Adopting.stepDown: producer.retire */
}
/* AdoptingReaction.stepDown, of L: its edge has ended */
inline stepDownL() {
#ifdef BROKEN_NOT_STEPPED_DOWN
  retire(TO_L)
#else
  atomic {                                                        /* S: AnyPromise+Adopting.stepDownToPreviousFollow: producer.replace */
    down = (producer == TO_L);
    if :: down -> assert(wT & CLAIMED); producer = TO_E :: else fi
  }
#ifndef BROKEN_STEPPED_ONTO_ENDED
  if
  :: down && innerE != LIVE -> retire(TO_E)                       /* S: AnyPromise+Adopting.stepDownToPreviousFollow: previous.adopted.isEmpty */
  :: else
  fi;
#endif
  down = false
#endif
}
/* AdoptingReaction.endEdge, of L and of E: `dep` gets what was ours to take */
inline takeL() {
  edge = adopted;                                                   /* S: AnyPromise+Adopting.endEdge: adopted.promise */
  if
  :: edge == LIVE ->
     atomic { if :: adopted == LIVE -> adopted = RETIRED; dep = dep | OF_I; took = true :: else fi }   /* S: AnyPromise+Adopting.endEdge: adopted.retire */
     if :: took -> took = false; stepDownL() :: else fi
  :: else
  fi
}
inline takeE() {
  atomic { if :: innerE == LIVE -> innerE = RETIRED; dep = dep | OF_J; took = true :: else fi }   /* S: AnyPromise+Adopting.endEdge: adopted.retire */
  if :: took -> took = false; retire(TO_E) :: else fi
}
/* AnyPromise.takeAdopted: of the newest, if its edge is there, and its previous follows; else the thread that publishes it, or ends it, does that */
inline takeAdopted() {
  atomic {                                                        /* S: AdoptingReaction.newestToEnd: adopted.pin */
    if
    :: producer == TO_E -> edge = TO_E
#ifdef BROKEN_READ_ONLY_LIVE
    :: producer == TO_L && adopted == LIVE -> edge = TO_L
#else
    :: producer == TO_L -> edge = TO_L
#endif
    :: else -> edge = 0
    fi
  }
  if
  :: edge == TO_E -> retire(TO_E); takeE()
  :: edge == TO_L -> retire(TO_L); takeL(); takeE()
  :: else
  fi;
  edge = 0
}

/* Reaction.pass(outcomeOf:) with winPassing, for the forward L; what is left to the thread that passes: Reaction.endWithoutSettling */
inline fireL() {
  atomic {                                                        /* S: Reaction+Settling.winPassing: adopted.retire */
    if :: adopted == LIVE -> adopted = RETIRED; ok = true :: else -> ok = false fi
  }
  if
  :: ok ->
     isFired = true;                                              /* S: Reaction.markFired: word.compareExchange */
     claimT(0);
     if
     :: ok -> hasSettled = true; passed = true
#ifdef BROKEN_LEAVES_FOR_CLAIMER
     :: else -> retire(TO_L); takeE(); giveUpWithT()
#else
     :: else -> stepDownL()
#endif
     fi
  :: else
  fi
}

/* Reaction.publishTarget, of what was passed to T */
inline publishPassed() {
  if :: passed -> passed = false; retire(TO_L); takeE(); depart(false); publishT(); drainT() :: else fi
}

/* AnyPromise.publish, drain and close of I, whose list holds L or nothing; then T is published, if it was settled by that. */
inline publishI() {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
    assert((wI & CLAIMED) && !(wI & DONE));
    if :: wI & LISTED -> wI = (wI & ~LISTED) | DONE; fires = true :: else -> wI = wI | DONE | CLOSED; fires = false fi
  }
  do
  :: fires ->
     fireL();
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       if :: wI & LISTED -> wI = wI & ~LISTED :: else -> wI = wI | CLOSED; fires = false fi
     }
  :: else -> break
  od;
  publishPassed()
}

inline say(is) { atomic { isOver = true; answer = is } }

active proctype End() {
  (_nr_pr == 1);
  d_step {
    assert(isOver);
    assert(!(wT & CLAIMED) || (wT & CLOSED) && !listT);
    assert(!(wI & CLAIMED) || (wI & CLOSED));
    /* Whoever settles T finds both edges, and they are taken once: given up if it was cancelled, else left. */
    assert(!(wT & CLAIMED) || adopted != LIVE && innerE != LIVE);
    assert((wT & CLAIMED) || innerE == LIVE && answer && adopted == LIVE);
    /* No reference to a reaction that was released. */
    assert(producer == GONE || producer == TO_E && innerE == LIVE || producer == TO_L && adopted == LIVE);
    assert(gaveI + leftI <= 1 && gaveJ + leftJ <= 1);
    assert(BYCALL(wT) || !gaveI && !cancelledJ);
    assert(!BYCALL(wT) || settledJ || cancelledJ && gaveJ == 1);
    assert(!BYCALL(wT) || gaveI == 1 || (wI & CLAIMED));
    /* The answer. */
    assert(answer || (wT & DONE));
    assert(!answer || !wasCancelled && !ownerGave);
    assert(!answer || !BYCALL(wT) || !wasClosedAtFirst);
    assert(answer || !(callerTook && BYCALL(wT) && BYCALL(wI)) || programmed);
    assert(!(answer && sawCalled) || callerTook || BYCALL(wI));
    /* Nobody is left waiting, or wanted by nobody. */
    assert(!(wI & DONE) || !answer || (wT & DONE));
    assert((wI & CLAIMED) || COUNT(wI) == ((hasOther && !otherGone) -> 1 : 0) + (adopted == LIVE -> 1 : 0));
    assert((wI & CLAIMED) || COUNT(wI) || !lastGave)
  }
}

/* AnyPromise.follow */
active proctype Owner() {
  LOCALS; bool wasOpen; byte stateT;
  (isSet);
  atomic { wasClosedAtFirst = ((wI & CLOSED) != 0); wasCancelled = hasCancelled && BYCALL(wT) }
  if
  :: wT & CLAIMED -> goto late                                    /* S: AnyPromise+Following.follow: isUnclaimed */
  :: else
  fi;
  atomic {                                                        /* S: AnyPromise+Following.addFollow: producer.replace */
    ok = (producer == TO_E);
    if :: ok -> producer = TO_L :: else fi
  }
  if :: !ok -> goto late :: else fi;
  wasOpen = !(wI & CLAIMED);                                      /* S: AnyPromise+Following.follow: other.isUnclaimed */
#ifdef BROKEN_WAS_OPEN_UNASKED
  wasOpen = true;
#endif
  atomic { if :: !(wI & CLAIMED) -> wI = wI + UNIT :: else fi }   /* S: AnyPromise+Consumers.addConsumerUnlessForwarded: word.compareExchange */
  adopted = LIVE;                                                   /* S: AnyPromise+Adopting.wait: adopted.publish */
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    if :: wI & CLOSED -> ok = true :: else -> wI = wI | LISTED; ok = false fi
  }
  if
  :: ok ->
     fireL();
     publishPassed();
     if
     :: hasSettled -> say(true)                                   /* S: AnyPromise+Following.follow: reaction.hasSettledTarget */
     :: else ->
        /* wasCancelledThroughEdge */
        ok = wasOpen;
        ok = ok && !isFired;                                      /* S: AnyPromise+Following.wasCancelledThroughEdge: reaction.state.isFired */
        ok = ok && BYCALL(wT);                                    /* S: AnyPromise.stateInOrder: word.load */
        ok = ok && BYCALL(wI);                                    /* S: AnyPromise+Following.wasCancelledThroughEdge: other.resolved.acquiredState */
#ifdef BROKEN_TAKEN_ALONG_UNASKED
        ok = false;
#endif
        say(ok)
     fi
  :: else ->
     stateT = wT;                                                 /* S: AnyPromise.stateInOrder: word.load */
     sawCalled = BYCALL(stateT);
#ifdef BROKEN_NEVER_TOO_LATE
     if
     :: stateT & CLAIMED -> takeL(); ownerGave = (dep && BYCALL(stateT)); giveUpWithT()
     :: else
     fi;
     say(true)
#else
     if
     :: BYCALL(stateT) ->
        /* answer(to:after:), and what confirmAdoption finds then */
        takeL();
        if
        :: dep ->
           ownerGave = true;
#ifdef BROKEN_LEFT_TO_CLAIMER
           dep = 0;
#endif
           say(false)
        :: else ->
#ifdef BROKEN_RIVAL_UNASKED
           say(true)
#else
           stateT = (!(wI & CLAIMED) || BYCALL(wI));              /* S: AnyPromise+Following.didFollowInTime: other.resolved.acquiredState */
           say(stateT)
#endif
        fi;
        giveUpWithT()
     :: else ->
        /* checkAdoption: what the claim of T may have looked for too early */
        if
        :: stateT & CLAIMED -> takeL(); giveUpWithT()
        :: else
        fi;
        say(true)
     fi
#endif
  fi;
  goto ended;
late:
  /* rejectFollow */
  say(false);
#ifndef BROKEN_LATE_COMER_LEAVES
  if
  :: BYCALL(wT) -> ownerGave = true; dep = OF_I | UNCOUNTED; giveUpWithT()   /* S: AnyPromise+Following.rejectFollow: stateInOrder */
  :: else
  fi;
#endif
ended: skip
}

/* Cancels T, or has it settled by its owner; then, perhaps, goes on with I. */
active proctype Caller() {
  LOCALS; bool fires; byte bits;
  (isSet);
  if :: bits = CANCELLED :: bits = 0 fi;
  claimT(bits);
  if
  :: ok ->
     takeAdopted(); callerTook = ((dep & OF_I) != 0);
     /* What is left is left before T is published, what is given up after that. */
     if
     :: bits -> edge = dep; dep = 0; publishT(); dep = edge; edge = 0; depart(true)
     :: else -> depart(false); publishT()
     fi;
     drainT();
     /* T follows J no more, unless J is being settled. */
     assert(innerE != LIVE && (gaveJ + leftJ == 1 || settledJ))
  :: else
  fi;
  hasCancelled = true;
  if
  :: programmed = true; claimI(CANCELLED); if :: ok -> publishI() :: else fi
  :: claimI(0); if :: ok -> publishI() :: else fi
  :: true
  fi
}

/* Fulfils I, or not. */
active proctype Rival() {
  LOCALS; bool fires;
  (isSet);
  if
  :: claimI(0); if :: ok -> publishI() :: else fi
  :: true
  fi
}

/* Somebody else who waits for I, if there is one, leaves, or gives it up. */
active proctype Other() {
  LOCALS;
  atomic { if :: true -> hasOther = true; wI = UNIT :: true fi; isSet = true }
  if
  :: hasOther -> atomic { otherGone = true; removeConsumer() }
  :: hasOther ->
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
       otherGone = true; programmed = true; ok = false;
       if
       :: !(wI & CLAIMED) && COUNT(wI) == 1 -> assert(adopted != LIVE); wI = (wI & ~LISTED) | CLAIMED | CANCELLED | DONE | CLOSED
       :: !(wI & CLAIMED) && COUNT(wI) > 1 -> wI = wI - UNIT; lastGave = true
       :: else
       fi
     }
  :: true
  fi
}

/* Fulfils J, or not: E passes the outcome to T. */
active proctype RivalJ() {
  LOCALS;
  (isSet);
  if
  :: atomic { if :: !cancelledJ -> settledJ = true; ok = (innerE == LIVE); innerE = RETIRED :: else -> ok = false fi }   /* S: Reaction+Settling.winPassing: adopted.retire */
     if
     :: ok ->
        claimT(0);
        if
        :: ok ->
           /* stopSettling: the newest is another, or this one. */
           atomic { ok = (producer == TO_E); if :: ok -> producer = GONE :: else fi }   /* S: Reaction+Settling.stopSettling: producer.retire */
           if :: !ok -> takeAdopted() :: else fi;
           dep = dep & ~OF_J; depart(false); publishT(); drainT()
        :: else -> retire(TO_E)
        fi
     :: else
     fi
  :: true
  fi
}
