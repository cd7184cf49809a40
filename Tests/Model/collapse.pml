/* Collapsing: M is the promise of a reaction L whose handler has returned I; a forward F, by which P adopts M, waits on M.
   Meanwhile a user attaches X to M and lets M go, the owner of P settles or cancels P, and I settles.  Four processes.
   Sequentially consistent.

   If P is cancelled it gives up what it has adopted, wherever that has got to; M, too, is cancelled then if nothing else waits for it, and gives I up.
   Here a loop of compareExchange over a pure function of the word is one atomic step: it has its effect when it succeeds.
   Reference counts: rcM and rcP, strong references as Swift counts them.

   Broken variants: BROKEN_LIST_BEFORE_UNIQUE, BROKEN_MOVER_READS_TARGET, BROKEN_LEAVE_BY_PRODUCER,
   BROKEN_COUNT_AFTER_MOVED, BROKEN_COUNT_BY_LINK, BROKEN_LEAVER_STAYS, BROKEN_FAMILY_AFTER_MOVED, BROKEN_FORWARDEE_KEPT,
   BROKEN_MOVER_ASKS_NOT, BROKEN_LEAVING_GIVES_UP, BROKEN_GIVES_UP_DISSOLVED. */

#define CLAIMED 1
#define DONE    2
#define CLOSED  4                     /* without DONE: moved */
#define PLAIN   8
#define F       16                    /* F is in the list */
#define X       32                    /* X is in the list */
#define L       64                    /* L is in the list */
#define CALLED  128                   /* by a cancellation */
#define LIST    (F | X | L)
#define MOVED(w) (((w) & (CLOSED | DONE)) == CLOSED)

/* PinnedReference of F and L: what the edge points to. */
#define NOBODY  0
#define TO_M    1
#define TO_I    2
#define MOVING  4                     /* one thread moves the reaction; who retires the edge now leaves the rest to it */
#define RETIRED 8

byte wM = F; byte wI = 0; byte wP = 0;
byte countM = 1;                      /* consumers of M: F */
byte countI = 0;                      /* consumers of I */
bool gave = false;                    /* P was cancelled, and has given up what it had adopted */
bool lastGave = false;                /* the last who went from I gave it up */
byte payloadM = 0, payloadI = 0, payloadP = 0;
byte familyM = NOBODY;
byte forwardI = 0;                    /* references to I, for M to forward to */
byte edgeF = TO_M, edgeL = NOBODY;
byte producerP = 1;                   /* 1: F; 0: retired */
bool targetF = true;                  /* F.target -> P */

byte rcM = 1;                         /* L.target */
byte rcP = 2;                         /* F.target; the owner of P */
bool freedM = false, freedP = false;

bool fDone = false;                   /* F has left every list for good */
bool xAttached = false, xRan = false;
byte removedF = 0;

#define LOCALS byte e, taken, rest; bool won, strong, counted, held, mine, last

inline retainM()  { atomic { assert(!freedM && rcM > 0); rcM++ } }
inline releaseM() {
  atomic {
    assert(!freedM && rcM > 0); rcM--;
    if
    :: rcM == 0 ->
       freedM = true;
       if :: familyM == TO_I -> assert(forwardI > 0); forwardI-- :: else fi;
       /* Who lets the object go retires first; nothing is lost with it. */
       assert(edgeF != TO_M && edgeF != (TO_M | MOVING));
       assert(!(wM & LIST) && (MOVED(wM) || (wM & CLOSED)))
    :: else
    fi
  }
}
inline retainP()  { atomic { assert(!freedP && rcP > 0); rcP++ } }
inline releaseP() { atomic { assert(!freedP && rcP > 0); rcP--; if :: rcP == 0 -> freedP = true :: else fi } }

/* A forward's F.target = nil */
inline clearTarget() { assert(targetF); targetF = false; releaseP() }

/* A consumer leaves I, or gives it up; and M: who leaves M after it was collapsed leaves I.  Cancellation.visit */
inline departI(gives) {
  atomic {                                                        /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
    last = false;
    if
    :: !(wI & CLAIMED) && (gives) && countI == 1 -> last = true; wI = wI | CLAIMED | CALLED; payloadI = 2; assert(edgeF != TO_I && edgeL != TO_I && !(wI & X))
    :: !(wI & CLAIMED) && !((gives) && countI == 1) ->
       assert(countI > 0); countI--; lastGave = (gives)           /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    :: else
    fi
  }
  if
  :: last ->
     /* Nothing that still waits is in the list, but what came too late. */
     atomic {                                                     /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
       taken = wI & LIST; wI = (wI & ~LIST) | DONE; if :: taken == 0 -> wI = wI | CLOSED :: else fi
     }
     do
     :: taken -> if :: taken & F -> assert(!fDone); fDone = true :: else fi; if :: taken & X -> fireX() :: else fi;
        atomic { taken = wI & LIST; if :: taken == 0 -> wI = wI | CLOSED :: else -> wI = wI & ~LIST fi }   /* S: AnyPromise+Settling.drain: word.compareExchange */
     :: else -> break
     od
  :: else
  fi;
  last = false
}
inline departM(gives) {
  mine = false;
  atomic {                                                        /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
    won = MOVED(wM);
    if
    :: !won && !(wM & CLAIMED) && (gives) && countM == 1 -> mine = true; wM = wM | CLAIMED | CALLED; payloadM = 2
    :: !won && !(wM & CLAIMED) && !((gives) && countM == 1) ->
       assert(countM > 0); countM--                               /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    :: else
    fi
  }
  if
  :: won ->
#ifndef BROKEN_LEAVER_STAYS
#ifndef BROKEN_COUNT_BY_LINK
#ifdef BROKEN_GIVES_UP_DISSOLVED
     departI(false)
#else
     departI(gives)
#endif
#endif
#endif
     skip
  :: mine ->
     /* M is cancelled: what it has adopted is given up, if the edge is there by now */
     leaveEdgeL();
     counted = mine;
     atomic {                                                     /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
       taken = wM & LIST; wM = (wM & ~LIST) | DONE; if :: taken == 0 -> wM = wM | CLOSED :: else fi
     }
     do
     :: taken -> if :: taken & F -> assert(!fDone); fDone = true :: else fi; if :: taken & X -> fireX() :: else fi;
        atomic { taken = wM & LIST; if :: taken == 0 -> wM = wM | CLOSED :: else -> wM = wM & ~LIST fi }   /* S: AnyPromise+Settling.drain: word.compareExchange */
     :: else -> break
     od;
     if :: counted -> departI(true) :: else fi;
     if :: counted -> releaseM() :: else fi;                      /* L has let its target go */
     counted = false
  :: else
  fi;
  mine = false
}
/* AdoptingReaction.endEdge of L: `mine`, the edge was ours to take */
inline leaveEdgeL() {
  atomic {                                                        /* S: AnyPromise+Adopting.endEdge: adopted.retire */
    mine = (edgeL == TO_I); if :: mine -> edgeL = edgeL | RETIRED :: else fi
  }
}
/* changeConsumers(from:to:) */
inline gainI(n) { atomic { if :: !(wI & CLAIMED) -> countI = countI + n :: else fi } }
inline dropI(n) { atomic { if :: !(wI & CLAIMED) -> assert(countI >= n); countI = countI - n :: else fi } }

/* AnyPromise.claim on P, by a forward or by its owner */
inline claimP() { atomic { assert(!freedP); if :: wP & CLAIMED -> won = false :: else -> wP = wP | CLAIMED; won = true fi } }
inline publishP() { atomic { assert(!freedP && payloadP == 2 && !(wP & DONE)); wP = wP | DONE | CLOSED } }

/* AnyPromise.leaveAdopted of P.  At f7773c4: only for the one who retires the producer, and each edge is tried once
   (BROKEN_LEAVE_BY_PRODUCER). */
inline leaveP(gives) {
  atomic { won = (producerP == 1); producerP = 0 }               /* S: AnyPromise+Adopting.takeAdopted: producer.retire */
#ifdef BROKEN_LEAVE_BY_PRODUCER
  if :: won -> leaveEdgeF(gives) :: else fi
#else
  leaveEdgeF(gives)
#endif
}
inline leaveEdgeF(gives) {
  held = false;
  do
  :: true ->
     atomic {                                                     /* S: AnyPromise+Adopting.endEdge: adopted.promise */
       e = edgeF;
       if
       :: (e & 3) == TO_M && !(e & RETIRED) -> strong = true; assert(!freedM && rcM > 0); rcM++
       :: else -> strong = false
       fi
     }
     if
     :: (e & RETIRED) || e == NOBODY -> break
     :: else
     fi;
     atomic {                                                     /* S: AnyPromise+Adopting.endEdge: adopted.retire */
       if
       :: edgeF != NOBODY && !(edgeF & RETIRED) && (edgeF & 3) == (e & 3) ->
          e = edgeF; edgeF = edgeF | RETIRED; removedF++; assert(removedF == 1); won = true; gave = gave || (gives)
       :: else -> won = false
       fi
     }
     if
     :: won && !(e & MOVING) -> clearTarget()                     /* plain writes: body, target */
     :: else                                                      /* moving: the mover does that */
     fi;
     if
     :: won && (e & 3) == TO_I -> departI(gives)
     :: won && (e & 3) == TO_M -> departM(gives); won = true
     :: else
     fi;
     if :: strong -> releaseM(); strong = false :: else fi;
#ifdef BROKEN_LEAVE_BY_PRODUCER
     break
#else
     if :: won -> break :: else fi
#endif
  od
}

/* Fires F for the outcome of `from`: AnyPromise.fire, Reaction.pass, winPassing, Settlement.complete, Reaction.endWithoutSettling */
inline fireF(from) {
  atomic {                                                        /* S: Reaction+Settling.winPassing: adopted.retire */
    if
    :: edgeF == from -> edgeF = from | RETIRED; removedF++; assert(removedF == 1); won = true
    :: else -> won = false
    fi
  }
  if
  :: won ->
     assert(targetF);
     claimP();
     if
     :: won -> payloadP = 1; payloadP = 2; atomic { producerP = 0 } publishP()
     :: else -> atomic { producerP = 0 }                          /* its only edge has ended */
     fi;
     clearTarget()                                                /* the reaction is released */
  :: else
  fi;
  assert(!fDone); fDone = true
}

inline fireX() { assert(!xRan); xRan = true }

/* M settles because L was fired for the outcome of I: claim, publish and drain of M */
inline settleM() {
  payloadM = 1; payloadM = 2;
  atomic { taken = wM & LIST; wM = (wM & ~LIST) | DONE; if :: taken == 0 -> wM = wM | CLOSED :: else fi }
  do
  :: taken & F -> taken = taken & ~F; fireF(TO_M)
  :: !(taken & F) && (taken & X) -> taken = taken & ~X; assert(payloadM == 2); fireX()
  :: !(taken & (F | X)) ->
     if :: wM & CLOSED -> break :: else fi;
     atomic { taken = wM & LIST; if :: taken == 0 -> wM = wM | CLOSED :: else -> wM = wM & ~LIST fi };
     if :: taken == 0 -> break :: else fi
  od
}

inline fireL() {
  atomic { held = (edgeL == TO_I); edgeL = edgeL | RETIRED }      /* S: Reaction+Settling.winPassing: adopted.retire */
  if
  :: held ->
     assert(payloadI == 2);
     atomic { assert(!freedM && !MOVED(wM)); won = !(wM & CLAIMED); wM = wM | CLAIMED }   /* S: AnyPromise+Settling.claim: word.compareExchange */
     if :: won -> settleM() :: else fi;
     releaseM()                                                   /* the reaction is released, with its target */
  :: else
  fi
}

active proctype End() {
  (_nr_pr == 1);
  d_step {
    /* I settled: nobody who waited for it is left waiting. */
    assert(!(wI & DONE) || (wP & DONE));
    assert(!(wI & DONE) || !xAttached || xRan);
    assert(!(wI & DONE) || (fDone && freedM && freedP));
    /* P settled: its edge is gone. */
    assert(!(wP & DONE) || (edgeF & RETIRED));
    assert(!(wP & CLAIMED) || (wP & DONE));
    /* The count is the truth while I is pending. */
    assert((wI & CLAIMED) || countI == (edgeF == TO_I -> 1 : 0) + (edgeL == TO_I -> 1 : 0) + ((wI & X) -> 1 : 0));
    /* What was given up last is cancelled, and nothing else (rule 4.4). */
    assert(!gave || (wI & CLAIMED) || countI > 0);
    assert((wI & CLAIMED) || countI || !lastGave);
    assert((wP & CALLED) || !((wI | wM) & CALLED));
    assert(!(wM & DONE) || edgeL != TO_I);
    assert(!(wM & CLAIMED) || (wM & CLOSED));
    /* M goes as soon as it has been collapsed. */
    assert(!MOVED(wM) || freedM);
    /* I is kept for as long as M forwards to it, and no longer. */
    assert(forwardI == (familyM == TO_I && !freedM -> 1 : 0))
  }
}

/* AdoptingReaction.adopt of L: collapse(into:), else wait(for:) */
active proctype Mover() {
  LOCALS; byte moved;
#ifdef BROKEN_LIST_BEFORE_UNIQUE
  /* Takes the list, then looks who else is there. */
  atomic { moved = 0; if :: !(wM & (CLAIMED | PLAIN | CLOSED)) && (wM & F) -> wM = wM & ~F; moved = 1 :: else fi }
  if
  :: moved == 1 ->
     atomic { won = (rcM == 1) }
     if
     :: won -> atomic { familyM = TO_I; forwardI++ }; wM = CLOSED
     :: else -> atomic { wM = wM | F }; moved = 0
     fi
  :: else
  fi;
#else
  moved = 0;
  atomic { won = (rcM == 1) }                                     /* S: AdoptingReaction+Collapsing.collapseTarget: holdsOnlyStrongReferenceToTarget */
  if
  :: won ->
#ifndef BROKEN_FAMILY_AFTER_MOVED
     atomic { familyM = TO_I; forwardI++ }                           /* S: FamilyWord.setForwardee: word.compareExchange */
#endif
     do                                                           /* S: AdoptingReaction+Collapsing.collapseTarget: word.compareExchange */
     :: true ->
        atomic { rest = countM; won = rest > 0 && !(wM & (CLAIMED | PLAIN | CLOSED)) && (wM & F) }
        if :: !won -> break :: else fi;
#ifndef BROKEN_COUNT_AFTER_MOVED
#ifndef BROKEN_COUNT_BY_LINK
        gainI(rest);
#endif
#endif
        atomic {
          if
          :: countM == rest && !(wM & (CLAIMED | PLAIN | CLOSED)) && (wM & F) -> wM = CLOSED; moved = 1
          :: else
          fi
        }
        if :: moved -> break :: else fi;
#ifndef BROKEN_COUNT_AFTER_MOVED
#ifndef BROKEN_COUNT_BY_LINK
        dropI(rest)
#endif
#endif
     od;
#ifdef BROKEN_COUNT_AFTER_MOVED
     if :: moved -> gainI(rest) :: else fi;
#endif
#ifdef BROKEN_FAMILY_AFTER_MOVED
     atomic { familyM = TO_I; forwardI++ }
#endif
     if
     :: !moved ->
        familyM = NOBODY;                                            /* S: FamilyWord.unsetForwardee: word.bitwiseXor */
#ifndef BROKEN_FORWARDEE_KEPT
        forwardI--
#endif
     :: else
     fi
  :: else
  fi;
#endif
  if
  :: moved ->
     /* AnyPromise.move(_:to:) */
#ifdef BROKEN_MOVER_READS_TARGET
     /* As at f7773c4: the target is read while somebody may clear it. */
     won = targetF;                                               /* plain read: forward.target */
     if
     :: won ->
        retainP();
        atomic { if :: edgeF == TO_M -> edgeF = TO_I; won = true :: else -> won = false fi };   /* S: PinnedReference.replace: change(old) */
#else
     atomic { if :: edgeF == TO_M -> edgeF = TO_M | MOVING; won = true :: else -> won = false fi };   /* S: AdoptingReaction+Collapsing.move: beginMoving */
     if
     :: won ->
        assert(targetF); retainP();
#ifdef BROKEN_COUNT_BY_LINK
        /* As at 1360da8: each reaction is counted when it moves, and who has left before is counted nowhere. */
        atomic { counted = !(wI & CLAIMED); if :: counted -> countI++ :: else fi };
#endif
        atomic {                                                  /* S: AdoptingReaction+Collapsing.move: endMoving */
          if
          :: edgeF == (TO_M | MOVING) -> edgeF = TO_I; won = true
          :: else -> won = false
          fi
        };
#ifdef BROKEN_COUNT_BY_LINK
        if :: !won && counted -> dropI(1) :: else fi;
#endif
        if :: !won -> clearTarget() :: else fi;                   /* what the retirer left to the mover */
#endif
        if
        :: won ->
           /* attach(forward, as: .adopter) */
           atomic {                                               /* S: AnyPromise+Attaching.push: word.compareExchange */
             if
             :: wI & CLOSED -> won = false
             :: else -> wI = wI | F; won = true
             fi
           };
           if :: !won -> assert(payloadI == 2); fireF(TO_I) :: else fi;
           if                                                     /* S: AnyPromise.stateInOrder: word.load */
           :: wP & CLAIMED -> leaveP((wP & CALLED) != 0)
           :: else
           fi
        :: else -> fDone = true
        fi;
        releaseP()
     :: else -> fDone = true
     fi;
     releaseM()                                                   /* L is released, with its target */
  :: else ->
     /* wait(for:) */
     atomic { if :: !(wI & CLAIMED) -> countI++ :: else fi };     /* S: AnyPromise+Consumers.addConsumerUnlessForwarded: word.compareExchange */
     edgeL = TO_I;                                                /* S: PinnedReference.publish: word.store */
     atomic { if :: wI & CLOSED -> won = false :: else -> wI = wI | L; won = true fi };   /* S: AnyPromise+Attaching.push: word.compareExchange */
     if :: !won -> fireL() :: else fi;
#ifndef BROKEN_MOVER_ASKS_NOT
     /* checkAdoption, after M was given up meanwhile */
     if                                                           /* S: AnyPromise.stateInOrder: word.load */
     :: (wM & CLAIMED) && (wM & CALLED) ->
        leaveEdgeL();
        if :: mine -> mine = false; departI(true); releaseM() :: else fi
     :: else
     fi
#endif
  fi
}

/* The user, who holds M or has a weak reference, attaches X to it and lets it go. */
active proctype User() {
  LOCALS; bool toI;
  atomic { if :: rcM > 0 -> rcM++; strong = true :: else -> strong = false fi }   /* at any moment, as weak references do */
  if
  :: strong ->
     atomic { if :: MOVED(wM) -> toI = true; assert(familyM == TO_I) :: else -> toI = false fi }   /* S: AnyPromise.acquiredState: word.load */
     xAttached = true;
     if
     :: !toI ->
        atomic {                                                  /* S: AnyPromise+Attaching.push: word.compareExchange */
          assert(!freedM);
          if
          :: MOVED(wM) -> toI = true; won = false; assert(familyM == TO_I)
          :: !MOVED(wM) && (wM & CLOSED) -> won = false
          :: else -> wM = wM | X | PLAIN; won = true
          fi
        }
        if :: !won && !toI -> assert(payloadM == 2); fireX() :: else fi
     :: else
     fi;
     if
     :: toI ->
        atomic {                                                  /* S: AnyPromise+Attaching.push: word.compareExchange */
          if
          :: wI & CLOSED -> won = false
          :: else -> wI = wI | X; won = true; if :: !(wI & CLAIMED) -> countI++ :: else fi
          fi
        }
        if :: !won -> assert(payloadI == 2); fireX() :: else fi
     :: else
     fi;
     releaseM()
  :: else
  fi
}

/* The owner of P settles it (Deferred.fulfill: claim, payload, leaveAdopted, publish), or somebody cancels it, or neither, and lets it go. */
active proctype OwnerP() {
  LOCALS;
  if
  :: claimP();
     if
     :: won -> payloadP = 1; payloadP = 2;
#ifdef BROKEN_LEAVING_GIVES_UP
        leaveP(true);
#else
        leaveP(false);
#endif
        publishP()
     :: else
     fi
  :: atomic { assert(!freedP); won = !(wP & CLAIMED); if :: won -> wP = wP | CLAIMED | CALLED :: else fi }
     if
     :: won ->
        payloadP = 1; payloadP = 2; publishP(); leaveP(true)
     :: else
     fi
  :: skip
  fi;
  releaseP()
}

/* The owner of I settles it, or not. */
active proctype OwnerI() {
  LOCALS;
  if
  :: atomic { !(wI & CLAIMED) -> wI = wI | CLAIMED }              /* S: AnyPromise+Settling.claim: word.compareExchange */
     payloadI = 1; payloadI = 2;
     atomic { taken = wI & LIST; wI = (wI & ~LIST) | DONE; if :: taken == 0 -> wI = wI | CLOSED :: else fi }   /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
     do
     :: taken & F -> taken = taken & ~F; fireF(TO_I)
     :: taken & L -> rest = taken & ~L; fireL(); taken = rest
     :: taken & X -> taken = taken & ~X; fireX()
     :: taken == 0 ->
        if :: wI & CLOSED -> break :: else fi;
        atomic { taken = wI & LIST; if :: taken == 0 -> wI = wI | CLOSED :: else -> wI = wI & ~LIST fi };   /* S: AnyPromise+Settling.drain: word.compareExchange */
        if :: taken == 0 -> break :: else fi
     od
  :: skip
  fi
}
