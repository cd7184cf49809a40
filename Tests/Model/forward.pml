/* A forward in the family tree.  Q is settled and held.  P is settled, and below Q or a root of its own; a client may hold it.  The handler of L,
   P ─▶ C, has returned the pending promise I: L lets P go, keeps its place in the tree, and waits for I.  G is below C.
   `Adopter` is the thread that has run the handler; `Settler` settles I; `Client` cancels Q, or P, or asks C for its parent and cancels that,
   and lets P go.  Sequentially consistent.

   What is done under a stripe is one step; `family` has the rest.  A promise that is claimed here is published and closed by the same thread;
   what a walk finds it retains in the same step.  `edge`: L waits for I, or is about to; who takes it away owns L.

   What was below Q or P when a cancel began is settled at the end, if a client still could hold P then, or has got it by `parent`; no use
   after release; no place, pin or node is left.

   Broken variants: BROKEN_FORGETS_EARLY, BROKEN_FORGETS_STRIPE, BROKEN_GETTER_ASKS_NOT, BROKEN_LETS_GO_PINNED, BROKEN_NO_HEIR. */

#define Q 0
#define P 1
#define C 2
#define G 3
#define NONE 4
#define BIT(p) (1 << (p))
#define NOTHING   0
#define INHERITED 1
#define OWNED     2
#define CLAIMED 1
#define DONE    2
#define CLOSED  4

byte st[4], tag[4], str[4], nup[5], lup[5], rc[4];
byte onlyP = NONE, earlyP = NONE;     /* C: the single reaction below P, and one without a place */
byte handed, nodes, gone, freed, shown, must;
byte source = P, stripe;              /* of L */
byte pins; bool retired, paused;      /* the producer of C */
bool edge, waits, isDone;             /* L waits for I, is in its list; I is settled */
bool listG = true;                    /* G is in the list of C */
hidden byte x0, x1, x2;

#define UNDER(n, q) (n != NONE && (n == q || nup[n] == q || nup[nup[n]] == q))
#define CHILDREN(q) ((lup[C] == q) + (lup[G] == q) + (nup[P] == q) + (nup[C] == q))
#define INTREE(q) (nup[q] == NONE || str[nup[q]] == str[q] && (nodes & BIT(nup[q])))

inline tidy(q0) {
  x0 = q0;
  do
  :: x0 != NONE && (gone & BIT(x0)) && (nodes & BIT(x0)) && CHILDREN(x0) <= 1 ->
     nodes = nodes & ~BIT(x0);
     if
     :: CHILDREN(x0) == 0
     :: else ->
        if
        :: lup[C] == x0 -> lup[C] = nup[x0]
        :: lup[G] == x0 -> lup[G] = nup[x0]
        :: nup[P] == x0 -> nup[P] = nup[x0]
        :: nup[C] == x0 -> nup[C] = nup[x0]
        fi
     fi;
     if :: nup[x0] != NONE -> x1 = nup[x0]; nup[x0] = NONE; x0 = x1; x1 = 0 :: else -> x0 = NONE fi
  :: else -> break
  od;
  x0 = 0
}
inline newNode(q, s) { assert(tag[q] != OWNED); tag[q] = OWNED; str[q] = s; nodes = nodes | BIT(q) }
inline demandNode(q) {
  if
  :: tag[q] == NOTHING -> newNode(q, q + 1); if :: q == P && onlyP != NONE -> lup[C] = P; onlyP = NONE :: else fi
  :: tag[q] == INHERITED -> x1 = str[q]; newNode(q, x1); x1 = 0
  :: else
  fi
}
#define HASPLACE (lup[C] != NONE || earlyP == C && source == P)
inline forgetEarly() { if :: source == P -> earlyP = NONE :: else fi }
inline giveToNode() {
  if :: lup[C] != NONE -> nup[C] = lup[C]; lup[C] = NONE :: else -> nup[C] = P fi;
  forgetEarly();
  assert(INTREE(C))
}
inline removeL() {
  forgetEarly(); if :: source == P -> onlyP = NONE :: else fi;
  x2 = lup[C]; lup[C] = NONE; tidy(x2); x2 = 0
}
inline retain(q) { assert(rc[q] && !(freed & BIT(q))); rc[q]++ }
inline drop(q) {
  atomic {
    assert(rc[q]); rc[q]--;
    if
    :: !rc[q] ->
       if :: tag[q] == OWNED -> gone = gone | BIT(q); tidy(q) :: else fi;
       if :: q == P -> assert(earlyP == NONE && onlyP == NONE) :: else fi;
       freed = freed | BIT(q)
    :: else
    fi
  }
}
/* The stripe of the family of L; 0: none */
#define STRIPE (source == P -> (tag[P] == NOTHING -> (onlyP == NONE -> 0 : P + 1) : str[P]) : stripe)

inline leaveFamily(isEnd) {
  if
  :: atomic { (handed & BIT(C)) || STRIPE == 0 } -> skip
  :: else ->
     need = (isEnd -> !(st[C] & DONE) : rc[C] > 1);
     atomic { if :: (need || tag[C] == OWNED) && source == P && onlyP == C -> demandNode(P) :: else fi }
     atomic {                                                     /* S: Reaction+Family.leaveFamily: stripe.locked */
       if
       :: HASPLACE && !(isEnd && (st[C] & DONE)) ->
          x1 = STRIPE;
          if :: need && tag[C] != OWNED -> newNode(C, x1) :: else fi; x1 = 0;
          if :: tag[C] == OWNED && nup[C] == NONE -> giveToNode(); handed = handed | BIT(C); shown = shown | (st[C] & CLOSED -> 0 : BIT(C)) :: else fi
       :: else
       fi;
       removeL(); need = false
     }
  fi
}
inline retire() { atomic { !pins && !paused; retired = true } }
inline letGo() { drop(C); if :: source == P -> drop(P) :: else fi }

/* C is published: G is fired, and stays where a cancel finds it. */
inline fire() {
  if
  :: listG -> listG = false;
     atomic {                                                     /* S: AnyPromise+Family.place: node.insert */
       if
       :: !(st[G] & DONE) -> demandNode(C); lup[G] = C
       :: else
       fi
     }
  :: else
  fi;
  atomic { st[C] = st[C] | CLOSED; shown = shown & ~BIT(C) }
}

/* I is settled, and L is owned by this thread. */
inline forward() {
  atomic { won = !(st[C] & CLAIMED); st[C] = st[C] | CLAIMED }    /* S: AnyPromise+Settling.claim: word.compareExchange */
  if
  :: won ->
     retire();
     atomic {                                                     /* S: Reaction+Family.inheritFamily: target.family.inherit */
       if :: source == P && onlyP == C -> demandNode(P) :: else fi;
#ifndef BROKEN_NO_HEIR
       if :: STRIPE && tag[C] == NOTHING -> tag[C] = INHERITED; str[C] = STRIPE :: else fi
#endif
     }
     st[C] = st[C] | DONE;                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
     fire();
     leaveFamily(false)
  :: else -> leaveFamily(true); retire()
  fi;
  letGo()
}

proctype Adopter() {
  bool won, need, isShown;
  /* AdoptingReaction.releaseSource */
  if
  :: skip ->
#ifdef BROKEN_LETS_GO_PINNED
     isShown = false;
#else
     atomic { isShown = !retired; if :: isShown -> !pins; paused = true :: else fi }   /* S: AnyPromise+Adopting.releaseSource: producer.pause */
#endif
     won = (rc[P] == 1 && tag[P] != INHERITED && STRIPE);         /* S: Reaction+Family.leaveUnheldRoot: ReferenceCount.isOne */
     if
     :: won -> atomic { won = !(tag[P] == OWNED && nup[P] != NONE); if :: won -> removeL() :: else fi }   /* S: Reaction+Family.leaveUnheldRoot: stripe.locked */
     :: else
     fi;
     if
     :: !won && STRIPE ->
#ifndef BROKEN_FORGETS_STRIPE
        stripe = STRIPE;
#endif
        atomic { if :: onlyP == C -> demandNode(P) :: else fi }
        atomic {                                                  /* S: Reaction+Family.keepPlaceWithoutSource: stripe.locked */
          if
#ifdef BROKEN_FORGETS_EARLY
          :: earlyP == C -> earlyP = NONE
#else
          :: earlyP == C -> earlyP = NONE; if :: lup[C] == NONE -> lup[C] = P :: else fi
#endif
          :: else
          fi
        }
     :: else
     fi;
     atomic { source = NONE; if :: isShown -> paused = false :: else fi; won = false; isShown = false }   /* S: AnyPromise+Adopting.releaseSource: producer.resume */
     drop(P)
  fi;
  /* AdoptingReaction.wait */
  edge = true;                                                    /* S: AnyPromise+Adopting.wait: adopted.publish */
  atomic { waits = !isDone; won = isDone }                        /* S: AnyPromise+Attaching.push: word.compareExchange */
  if
  :: won -> atomic { won = edge; edge = false } if :: won -> forward() :: else fi
  :: else ->
     if
     :: st[C] & CLAIMED ->                                        /* S: AnyPromise+Adopting.checkAdoption: state.isClaimed */
        retire();
        atomic { won = edge; edge = false }                       /* S: AnyPromise+Adopting.endEdge: self.adopted.retire */
        if :: won -> leaveFamily(true); letGo() :: else fi
     :: else
     fi
  fi
}

proctype Settler() {
  bool won, need;
  atomic { isDone = true; won = waits }
  if
  :: won -> atomic { won = edge; edge = false } if :: won -> forward() :: else fi   /* S: Reaction+Settling.winPassing: adopted.retire */
  :: else
  fi
}

#define FOUND(x, w) (lup[x] != NONE && UNDER(lup[x], w) || nup[x] != NONE && UNDER(nup[x], w) && (shown & BIT(x)) || x == C && earlyP == C && UNDER(P, w) || x == C && w == P && onlyP == C)
proctype Client(byte name; bool holdsP, asks) {
  bool won, need, found; byte i;
  if
  :: asks ->
     atomic { !paused; won = !retired && source == P; if :: won -> retain(P); holdsP = true :: else fi }   /* S: AnyPromise+State.parent: producer.read */
     if
     :: won ->
        atomic { demandNode(P) }                                  /* S: AnyPromise+Family.stateWithNode: stripe.locked */
        atomic { !paused; won = !retired; if :: won -> pins++ :: else fi }
        if
        :: won ->
#ifndef BROKEN_GETTER_ASKS_NOT
           won = (source == P);                                   /* S: AnyPromise+Family.showSettledSource: isFrom */
#endif
           atomic {                                               /* S: AnyPromise+Family.showSettledSource: stripe.locked */
             if
             :: won && source == P && !(st[C] & CLAIMED) && tag[C] == NOTHING ->
                if
                :: lup[C] == NONE -> earlyP = C
                :: lup[C] != NONE && (handed & BIT(P)) && nup[P] == NONE && lup[C] != P -> nup[P] = lup[C]; lup[C] = P; assert(INTREE(P))
                :: else
                fi
             :: else
             fi;
             pins--
           }
        :: else
        fi;
        won = won && !(st[C] & CLAIMED)
     :: else
     fi;
     if :: won -> name = P; won = false :: else -> name = NONE fi
  :: else
  fi;
  if
  :: name != NONE ->
     /* Cancels: looks until nothing is new. */
     atomic { must = must | (name == P || UNDER(P, name) || lup[C] == Q || nup[C] == Q || UNDER(lup[C], name) -> BIT(C) | BIT(G) : 0) }
     do
     :: i < 3 ->
        atomic { found = FOUND(C, name); if :: found -> retain(C) :: else fi }   /* S: FamilyWalk.walkNextPiece: stripe.locked */
        if
        :: found ->
           atomic { won = !(st[C] & CLAIMED); st[C] = st[C] | CLAIMED }   /* S: Cancellation.visit: claim(.cancelling) */
           if
           :: won ->
              atomic { !paused; won = !retired; if :: won -> pins++ :: else fi }
              if
              :: won ->
                 if
                 :: source == P -> atomic { if :: tag[P] == INHERITED && (handed & BIT(P)) :: else -> demandNode(P) fi }
                 :: else
                 fi;
                 atomic {                                         /* S: AnyPromise+Family.stayBelowSource: stripe.locked */
                   if
                   :: tag[C] != OWNED && STRIPE ->
                      x1 = STRIPE; newNode(C, x1); x1 = 0; shown = shown | BIT(C);
                      if
                      :: HASPLACE -> giveToNode(); handed = handed | BIT(C)
                      :: else -> if :: source == P && tag[P] == OWNED -> nup[C] = P; assert(INTREE(C)) :: else fi
                      fi
                   :: else
                   fi;
                   pins--
                 }
                 retire();
                 atomic { won = edge; edge = false }              /* S: AnyPromise+Adopting.endEdge: self.adopted.retire */
                 if :: won -> leaveFamily(true); letGo() :: else fi
              :: else
              fi;
              st[C] = st[C] | DONE;
              st[G] = CLAIMED | DONE | CLOSED;                    /* what is in its list is claimed by this call */
              fire()
           :: else
              /* Being settled: the settler carries a request out, once it has fired; or it is closed. */
              (st[C] & CLOSED);
              atomic { if :: tag[C] == OWNED && lup[G] == C -> st[G] = CLAIMED | DONE | CLOSED :: else fi }
           fi;
           drop(C)
        :: else
        fi;
        atomic { if :: FOUND(G, name) -> st[G] = CLAIMED | DONE | CLOSED :: else fi; found = false; won = false; i++ }   /* S: FamilyWalk.walkNextPiece: stripe.locked */
     :: else -> break
     od
  :: else
  fi;
  if :: holdsP -> drop(P) :: else fi
}

init {
  atomic {
    byte i;
    do :: i < 5 -> nup[i] = NONE; lup[i] = NONE; i++ :: else -> break od;
    st[Q] = 7; st[P] = 7; tag[Q] = OWNED; str[Q] = Q + 1; nodes = BIT(Q); rc[Q] = 1; rc[P] = 1; rc[C] = 1; rc[G] = 1;
    if
    :: tag[P] = OWNED; str[P] = Q + 1; nodes = nodes | BIT(P); nup[P] = Q; lup[C] = P; rc[P] = 2;
       run Client(Q, false, false); if :: run Client(NONE, true, false) :: run Client(P, true, false) :: rc[P] = 1; rc[C] = 2; run Client(NONE, false, true) fi
    :: tag[P] = INHERITED; str[P] = Q + 1; handed = BIT(P); lup[C] = Q; rc[C] = 2;
       run Client(Q, false, false); run Client(NONE, false, true)
    :: onlyP = C; rc[P] = 2; run Client(P, true, false)
    :: onlyP = C; rc[P] = 2; rc[C] = 2; run Client(NONE, true, false); run Client(NONE, false, true)
    :: rc[C] = 2; run Client(NONE, false, true)
    fi;
    run Adopter(); run Settler()
  }
  (_nr_pr == 1);
  d_step {
    assert(!(must & BIT(C)) || (st[C] & CLOSED));
    assert(!(must & BIT(G)) || (st[G] & CLOSED));
    assert(!pins && !paused && earlyP == NONE && onlyP == NONE && lup[C] == NONE);
    assert((freed & BIT(P)) && source != P || !isDone)
  }
}
