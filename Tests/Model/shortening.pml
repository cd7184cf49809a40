/* A forward F, by which P has adopted M, is counted at M and waits there, while P is collapsed into M (rule 3.3): what adopts P, by the
   forwards G and H, waits for M from then on.  Meanwhile what has adopted P is cancelled, or settled in another way, on two threads, and
   another consumer of M, if there is one, leaves it or gives it up.  Four processes.  Sequentially consistent.

   The count at M must not be raised for a while: a consumer that gives M up meanwhile would not find itself the last, and who takes the
   surplus off again only leaves.  So only a P with one consumer is collapsed, which counts at M as F has.  Who looks for references to P,
   and the lists, are the business of `collapse`; F, G and H are in lists that the mover owns.

   Broken variants: BROKEN_SURPLUS_LEAVES (as it was at 2b3e60e), BROKEN_MOVES_CLAIMED, BROKEN_MOVED_IS_SETTLED,
   BROKEN_LEAVING_GIVES_UP, BROKEN_EDGE_NOT_MARKED. */

#define CLAIMED 1
#define CALLED  2                     /* by a cancellation */
#define DONE    4
#define MOVED   8                     /* P */

/* PinnedReference: what the edge points to */
#define NOBODY  0
#define TO_P    1
#define TO_M    2
#define MOVING  4
#define RETIRED 8

byte wP, wM, countP = 1, countM = 1;
byte edge[2];                         /* G and H */
byte edgeF = TO_M;
bool isOther, otherGone;              /* another consumer of M */
bool isThere[2], gone[2];
bool hasLeft, hasGiven;               /* somebody left, and did not give up, or stays; somebody gave up */
bool moved;

#define LIVE(e) ((e) && !((e) & RETIRED))

#define LOCALS byte e, old; bool won, mine

/* AnyPromise.giveUp, or removeConsumer, of M */
inline departM(gives) {
  atomic {                                                        /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
    if
    :: !(wM & CLAIMED) && (gives) && countM == 1 ->
       wM = wM | CLAIMED | CALLED | DONE;
       /* Nobody wants it. */
       assert(!isOther || otherGone);
       assert((wP & MOVED) || !LIVE(edgeF));
       assert(!(wP & MOVED) || !LIVE(edge[0]) && !LIVE(edge[1]))
    :: !(wM & CLAIMED) && !((gives) && countM == 1) -> assert(countM > 0); countM--   /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    :: else
    fi
  }
}

/* The same of P, and of M if P was collapsed. Where P is cancelled it gives M up: Cancellation.carryOut, AdoptingReaction.endEdge of F */
inline departP(gives) {
  atomic {                                                        /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
    won = ((wP & MOVED) != 0); mine = false;
    if
    :: !won && !(wP & CLAIMED) && (gives) && countP == 1 -> mine = true; wP = wP | CLAIMED | CALLED
    :: !won && !(wP & CLAIMED) && !((gives) && countP == 1) -> assert(countP > 0); countP--
    :: else
    fi
  }
  if
#ifndef BROKEN_MOVED_IS_SETTLED
  :: won -> departM(gives)
#endif
  :: mine ->
     atomic {                                                     /* S: AnyPromise+Adopting.endEdge: adopted.retire */
       won = LIVE(edgeF); if :: won -> edgeF = edgeF | RETIRED :: else fi
     }
     wP = wP | DONE;                                              /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
     if :: won -> departM(true) :: else fi
  :: else
  fi;
  won = false; mine = false
}

/* What has adopted P by G, or H, is cancelled, or settled in another way, or stays. */
proctype Adopter(byte k) {
  LOCALS; bool gives;
  if
  :: gives = true; hasGiven = true
  :: hasLeft = true
  :: hasLeft = true; goto ended
  fi;
  gone[k] = true;
  atomic {                                                        /* S: AnyPromise+Adopting.endEdge: adopted.retire */
    e = edge[k]; if :: LIVE(e) -> edge[k] = e | RETIRED :: else fi
  }
  if
#ifdef BROKEN_LEAVING_GIVES_UP
  :: LIVE(e) && (e & TO_P) -> departP(true)
  :: LIVE(e) && (e & TO_M) -> departM(true)
#else
  :: LIVE(e) && (e & TO_P) -> departP(gives)
  :: LIVE(e) && (e & TO_M) -> departM(gives)
#endif
  :: else
  fi;
ended: skip
}

proctype Other() {
  if
  :: atomic { otherGone = true; hasGiven = true } departM(true)
  :: atomic { otherGone = true; hasLeft = true } departM(false)
  :: hasLeft = true
  fi
}

/* AdoptingReaction.collapseIfUnheld of F: collapseTarget(into:countedAs: 1), and move of G and H */
proctype Mover() {
  LOCALS; byte now; byte k;
  atomic {                                                        /* S: AdoptingReaction+Shortening.collapseIfUnheld: beginMoving */
    won = (edgeF == TO_M); if :: won -> edgeF = TO_M | MOVING :: else fi
  }
  if :: !won -> goto ended :: else fi;
  now = 1;
  do                                                              /* S: AdoptingReaction+Collapsing.collapseTarget: word.compareExchange */
  :: true ->
     atomic { old = countP; won = !(wP & CLAIMED) && old > 0 }
#ifndef BROKEN_SURPLUS_LEAVES
     won = won && old == 1;
#endif
     if :: !won -> break :: else fi;
     do
     :: now < old -> atomic { if :: !(wM & CLAIMED) -> countM++ :: else fi } now++   /* S: AnyPromise+Consumers.addConsumerUnlessForwarded: word.compareExchange */
     :: now > old -> departM(false); now--
     :: else -> break
     od;
     atomic {
#ifdef BROKEN_MOVES_CLAIMED
       if :: countP == old -> wP = wP | MOVED; moved = true :: else fi
#else
       if :: countP == old && !(wP & CLAIMED) -> wP = wP | MOVED; moved = true :: else fi
#endif
     }
     if :: moved -> break :: else fi
  od;
  if
  :: moved ->
     atomic { edgeF = edgeF | RETIRED }                           /* S: AdoptingReaction+Shortening.collapseIfUnheld: adopted.retire */
     do
     :: k < 2 ->
#ifdef BROKEN_EDGE_NOT_MARKED
        if :: LIVE(edge[k]) -> edge[k] = TO_M :: else fi;
#else
        atomic { won = (edge[k] == TO_P); if :: won -> edge[k] = TO_P | MOVING :: else fi }   /* S: AdoptingReaction+Collapsing.move: beginMoving */
        if
        :: won -> atomic { if :: edge[k] == (TO_P | MOVING) -> edge[k] = TO_M :: else fi }   /* S: AdoptingReaction+Collapsing.move: endMoving */
        :: else
        fi;
#endif
        k++
     :: else -> break
     od
  :: else ->
     do
     :: now > 1 -> departM(false); now--
     :: else -> break
     od;
     atomic { if :: edgeF == (TO_M | MOVING) -> edgeF = TO_M :: else fi }   /* S: AdoptingReaction+Shortening.collapseIfUnheld: endMoving */
  fi;
ended: skip
}

init {
  atomic {
    edge[0] = TO_P; isThere[0] = true;
    if :: edge[1] = TO_P; isThere[1] = true; countP = 2 :: true fi;
    if :: isOther = true; countM = 2; run Other() :: true fi;
    run Mover(); run Adopter(0);
    if :: isThere[1] -> run Adopter(1) :: else fi
  }
  (_nr_pr == 1);
  d_step {
    assert(!(edgeF & MOVING) || (edgeF & RETIRED));
    assert(!(wP & CLAIMED) || (wP & DONE) && !(wP & MOVED));
    /* The count is the truth while M is pending. */
    assert((wM & CLAIMED) || countM == (isOther && !otherGone) + (moved -> LIVE(edge[0]) + LIVE(edge[1]) : LIVE(edgeF)));
    assert(!moved || !(edge[0] & TO_P) || (edge[0] & RETIRED));
    /* What all have given up is cancelled; and nothing that nobody has. */
    assert(hasLeft || (wM & CALLED));
    assert(hasGiven || !((wM | wP) & CALLED))
  }
}
