/* The family tree: what is below settled promises (rule 4.2).  P is settled.  A chain  P ─▶ C ─▶ G ─▶ K,  and  C ─▶ H  that may be
   attached at any time.  The reactions to C and G have handlers, or G's only passes the outcome on; K and H stay pending unless they are
   cancelled.  Threads settle C and G, cancel P, C or G, let a time limit pass, attach H or K, ask for the parent, drop a job, prune a
   list, and let their references go: each thread has a short program, chosen in `init`.  Sequentially consistent.

   A reaction is named by its target, a node by its promise.  References to promises are counted.  What is done under a stripe is one step,
   but for a walk: that looks at what is there, and then retains it, in two steps under one lock.  The order of siblings is
   the business of `walk`; that two stripes never guard one tree is asserted here wherever a place is taken.

   Broken variants: BROKEN_ALONE_WHEN_FIRED, BROKEN_CARRIES_OUT_LISTS_ONLY, BROKEN_CLAIMED_NOT_PLACED,
   BROKEN_CLOSED_SKIPPED, BROKEN_DEINIT_WITHOUT_STRIPE, BROKEN_DROP_UNMARKED, BROKEN_EARLY_IS_NO_PLACE,
   BROKEN_EARLY_OF_PLACED, BROKEN_EARLY_UNFIRED, BROKEN_END_REMOVES, BROKEN_GETTER_ANSWERS_UNPINNED,
   BROKEN_GETTER_HIDES, BROKEN_GETTER_LOOKS_ONCE, BROKEN_GETTER_MAKES_NODE_TOO_EARLY, BROKEN_GETTER_WANTS_NOTHING,
   BROKEN_HANDED_UNMARKED, BROKEN_HAND_OVER_HELD, BROKEN_HEIR_OF_SINGLE_LINK, BROKEN_INHERITS_WHEN_PUBLISHED,
   BROKEN_LEAVES_BEFORE_CLOSED, BROKEN_LEAVES_HELD_ROOT, BROKEN_LEFT_BUT_PLACED, BROKEN_LETS_GO_FIRST,
   BROKEN_LOOKS_ONCE, BROKEN_NEVER_STAYS, BROKEN_NOT_HIDDEN, BROKEN_PLACED_AFTER_HEIR, BROKEN_REQUEST_UNMARKED, BROKEN_RETIRES_FIRST,
   BROKEN_STRIPE_NOT_INHERITED. */

#define P 0
#define C 1
#define G 2
#define K 3
#define H 4
#define NONE 5
#define REQ 128                       /* a CancelRequest in a list */
#define BIT(p) (1 << (p))
#define ALL 30
#define SOURCE(l) (l == C -> P : (l == K -> G : C))

/* StateWord */
#define CLAIMED 1
#define DONE    2
#define CLOSED  4
#define PRUNING 8

/* ReactionWord */
#define STARTED  1
#define DETACHED 2
#define FIRED    4

/* FamilyState.Tag */
#define NOTHING   0
#define INHERITED 1
#define OWNED     2

/* programs */
#define RUN    8                      /* the handler of a reaction runs, and returns a value */
#define DROP   16                     /* the context drops the job */
#define CANCEL 24
#define LIMIT  32                     /* a time limit: what waits is not cancelled */
#define ATTACH 40
#define PARENT 48                     /* asks for the parent, and cancels that */
#define PRUNE  56

byte st[5], list[5], lw[5];
byte tag[5], str[5];                  /* family: the tag; the stripe, named by the promise whose address has chosen it */
byte only[5];                         /* family: without a node, the single reaction below */
byte handed, wanted, marked;          /* family: three flags; `marked` is the one that FamilyWord calls shown */
byte nodes, gone, shown, nup[6];      /* nodes that there are; those whose promise is gone; which a walk finds it by; where they stand */
byte lup[6], early[5];                /* where a reaction stands; one without a place */
byte rc[5], freed;
byte pins[5], retired;                /* producers */
byte sched, took;
byte there, hAfter;                   /* attached; after a request */
byte maybe, left;                     /* claimed, and published, before their source was */
byte must, spare;
byte outstanding, running;            /* calls of cancel that have not returned; that have begun */
bool locked;                          /* the stripe, by a walk */
hidden byte x0, y0, z0, s0;

#define NOFAMILY(l) (tag[SOURCE(l)] == NOTHING && only[SOURCE(l)] == NONE)
#define HASPLACE(l) (lup[l] != NONE || early[SOURCE(l)] == l)
#define CHILDREN(q) ((lup[C] == q) + (lup[G] == q) + (lup[K] == q) + (lup[H] == q) + (nup[C] == q) + (nup[G] == q) + (nup[K] == q) + (nup[H] == q))
/* Node n stands below node q, or is it */
#define UNDER(n, q) (n != NONE && (n == q || nup[n] == q || nup[nup[n]] == q || nup[nup[nup[n]]] == q))
/* What the rules say: below q, as far as attached, and not settled before its source */
#define STILL(x) ((there & BIT(x)) && !(maybe & BIT(x)))
#define RULE(x, q) (x == C -> q == P && STILL(C) : (x == G -> (q == P && STILL(C) || q == C) && STILL(G) : (x == H -> (q == P && STILL(C) || q == C) && STILL(H) : (q == P && STILL(C) && STILL(G) || q == C && STILL(G) || q == G) && STILL(K))))
#define ONE(mask) (((mask) & ((mask) - 1)) == 0)

inline lowest(mask, q) { q = 0; do :: !((mask) & BIT(q)) -> q++ :: else -> break od }

/* --- The tree.  All inside atomic, under the stripe. */

/* FamilyNode.removeUnneeded: something has been removed below node q0, or its promise is gone. */
inline tidy(q0) {
  x0 = q0;
  do
  :: x0 != NONE && (gone & BIT(x0)) && (nodes & BIT(x0)) ->
     if
     :: CHILDREN(x0) == 0 -> nodes = nodes & ~BIT(x0); y0 = nup[x0]; nup[x0] = NONE; x0 = y0
     :: CHILDREN(x0) == 1 ->
        y0 = C;
        do
        :: y0 <= H ->
           if :: lup[y0] == x0 -> lup[y0] = nup[x0] :: else fi;
           if :: nup[y0] == x0 -> nup[y0] = nup[x0] :: else fi;
           y0++
        :: else -> break
        od;
        nodes = nodes & ~BIT(x0); nup[x0] = NONE; x0 = NONE
     :: else -> x0 = NONE
     fi
  :: else -> break
  od;
  x0 = 0; y0 = 0
}
#ifdef BROKEN_EARLY_OF_PLACED
#define UNPLACED(l) true
#else
#define UNPLACED(l) (lup[l] == NONE)
#endif
inline forgetEarly(k) { if :: (early[SOURCE(k)] == k) -> early[SOURCE(k)] = NONE :: else fi }
inline removeLink(k) {
  forgetEarly(k);
  if :: (only[SOURCE(k)] == k) -> only[SOURCE(k)] = NONE :: else fi;   /* S: FamilyWord.removeOnly: word.bitwiseXor */
  y0 = lup[k]; lup[k] = NONE; tidy(y0)
}
#define INTREE(q) (nup[q] == NONE || str[nup[q]] == str[q] && (nodes & BIT(nup[q])))
/* Reaction.givePlace(to: node q) */
inline giveToNode(q, k) {
  assert(nup[q] == NONE);
  if
  :: lup[k] != NONE -> nup[q] = lup[k]; lup[k] = NONE
#ifndef BROKEN_EARLY_IS_NO_PLACE
  :: lup[k] == NONE && early[SOURCE(k)] == k -> nup[q] = SOURCE(k)
#endif
  :: else
  fi;
#ifndef BROKEN_EARLY_OF_PLACED
  forgetEarly(k);
#endif
  assert(INTREE(q))
}
/* S: FamilyWord.own: word.compareExchange */
inline newNode(q) { assert(!(nodes & BIT(q)) && tag[q] != OWNED); tag[q] = OWNED; str[q] = s0; s0 = 0; nodes = nodes | BIT(q) }
/* stateWithNode: the promise is published, so its family is known */
inline demandNode(q) {
  if
  :: tag[q] == NOTHING ->
     s0 = q + 1; newNode(q);
     if :: only[q] != NONE -> lup[only[q]] = q; only[q] = NONE :: else fi
#ifdef BROKEN_STRIPE_NOT_INHERITED
  :: tag[q] == INHERITED -> s0 = q + 1; newNode(q)
#else
  :: tag[q] == INHERITED -> s0 = str[q]; newNode(q)
#endif
  :: else
  fi
}
/* showToWalks.  S: FamilyWord.markShown: word.bitwiseOr */
inline reveal(q) { marked = marked | BIT(q); if :: !(st[q] & CLOSED) -> shown = shown | BIT(q) :: else fi }

/* --- References */

inline retain(q) { assert(rc[q] > 0 && !(freed & BIT(q))); rc[q]++ }
inline drop(q) {
  atomic {
    assert(rc[q] > 0); rc[q]--; won = (rc[q] == 0);
    if :: won && tag[q] != OWNED -> assert(only[q] == NONE); freed = freed | BIT(q); won = false :: else fi
  }
  if
  :: won ->
#ifdef BROKEN_DEINIT_WITHOUT_STRIPE
     atomic { freed = freed | BIT(q); won = false }
#else
     atomic { !locked; assert(early[q] == NONE); gone = gone | BIT(q); tidy(q); freed = freed | BIT(q); shown = shown & ~BIT(q); won = false }   /* S: FamilyWord.disownNode: stripe?.locked */
#endif
  :: else
  fi
}

/* --- Reactions */

#ifdef BROKEN_END_REMOVES
#define STAYS(k) false
#else
#define STAYS(k) !(st[k] & DONE)
#endif
#ifdef BROKEN_LEFT_BUT_PLACED
#define GIVES(isEnd, k) true
#else
#define GIVES(isEnd, k) !((isEnd) && (st[k] & DONE))
#endif
/* Reaction.leaveFamily; `isEnd`: the reaction has not settled its target */
inline leaveFamily(k, isAlone, isEnd) {
  atomic {                                                        /* S: Reaction+Family.leaveFamily: target.family.state */
    if
    :: (handed & BIT(k)) || NOFAMILY(k) -> m = 2
    :: !((handed & BIT(k)) || NOFAMILY(k)) && (isEnd) -> m = STAYS(k)
    :: else -> m = !(st[k] & CLOSED) || !((isAlone) && !(wanted & BIT(k)) || rc[k] == 1)
    fi
  }
  if
  :: m == 2 -> m = 0
  :: else ->
     atomic { if :: (m || tag[k] == OWNED) && only[SOURCE(k)] == k -> !locked; demandNode(SOURCE(k)) :: else fi }   /* S: Reaction+Family.leaveFamily: beginFamilyOfSource */
     atomic {                                                     /* S: Reaction+Family.leaveFamily: stripe.locked */
       !locked;
       if
       :: HASPLACE(k) && GIVES(isEnd, k) ->
          if :: m && tag[k] != OWNED -> s0 = str[SOURCE(k)]; newNode(k) :: else fi;
          if :: tag[k] == OWNED && nup[k] == NONE -> z0 = k; giveToNode(z0, k); handed = handed | BIT(k); reveal(k) :: else fi
       :: else
       fi;
       removeLink(k); m = 0
     }
  fi
}
inline letGo(k) { drop(k); drop(SOURCE(k)) }
inline leaveUnclosed(k) { atomic { !locked; removeLink(k) } }
/* Reaction.endWithoutSettling, and endUnrun */
inline end(k) {
  lw[k] = lw[k] | DETACHED;                                       /* S: Reaction+Family.markDropped: detachedBit */
#ifdef BROKEN_RETIRES_FIRST
  atomic { pins[k] == 0; retired = retired | BIT(k) }
  leaveFamily(k, false, true);
#else
  leaveFamily(k, false, true);
  atomic { pins[k] == 0; retired = retired | BIT(k) }
#endif
  if
  :: !(st[k] & CLAIMED) -> atomic { !locked; forgetEarly(k) }     /* S: Reaction+Family.forgetEarlyUnderStripe: stripe.locked */
  :: else
  fi;
  letGo(k)
}
/* The same for one that was not fired */
inline endUnfired(k) {
  atomic { pins[k] == 0; retired = retired | BIT(k) }
  drop(k)
}

/* AnyPromise.place(l), by who settles cur; and then l retains its source */
inline place() {
  atomic {
    if
#ifdef BROKEN_CLAIMED_NOT_PLACED
    :: st[l] & CLAIMED && !(passes & BIT(l)) -> m = 0
#else
    :: st[l] & DONE -> m = 0                                      /* S: AnyPromise+Settling.activate: stateInOrder */
#endif
    :: else ->                                                    /* S: FamilyWord.state: word.load */
       if
       :: lone && tag[cur] != OWNED && !(wanted & BIT(cur)) -> m = tag[cur]
       :: !(lone && !(wanted & BIT(cur))) && tag[cur] == NOTHING && only[cur] == NONE -> only[cur] = l; m = 0   /* S: FamilyWord.setOnly: word.compareExchange */
       :: else -> m = 2
       fi
    fi
  }
  if
  :: m == 1 ->
     atomic {                                                     /* S: AnyPromise+Family.handOn: settler?.givePlace */
       !locked;
       if
       :: tag[cur] != OWNED && !(wanted & BIT(cur)) ->
          m = 0;
#ifndef BROKEN_HANDED_UNMARKED
          handed = handed | BIT(cur);                             /* S: FamilyWord.markHandedOn: word.bitwiseOr */
#endif
          if
          :: lup[cur] != NONE -> lup[l] = lup[cur]; lup[cur] = NONE
          :: lup[cur] == NONE && cur != P && early[SOURCE(cur)] == cur -> lup[l] = SOURCE(cur)
          :: else
          fi;
          forgetEarly(cur)
       :: else -> m = 2
       fi
     }
  :: else
  fi;
  if
  :: m == 2 ->
     atomic {                                                     /* S: AnyPromise+Family.place: stripe.locked */
       !locked;
       demandNode(cur);
       if
#ifndef BROKEN_PLACED_AFTER_HEIR
       :: tag[l] == OWNED                                         /* the target has a place of its own */
#endif
       :: else -> lup[l] = cur
       fi;
       forgetEarly(l)
     }
  :: else
  fi;
  atomic { m = 0; retain(cur) }
}

/* The target of l is claimed by l, and is going to be published.  Below a root that nothing else holds, nothing can be asked for. */
inline inherit() {
#ifdef BROKEN_LEAVES_HELD_ROOT
  m = (tag[SOURCE(l)] != INHERITED && !NOFAMILY(l));
#else
  m = (rc[SOURCE(l)] == 1 && tag[SOURCE(l)] != INHERITED && !NOFAMILY(l));   /* S: Reaction+Family.leaveUnheldRoot: ReferenceCount.isOne */
#endif
  if
  :: m -> atomic { !locked; m = !(tag[SOURCE(l)] == OWNED && nup[SOURCE(l)] != NONE); if :: m -> removeLink(l) :: else fi }   /* S: Reaction+Family.leaveUnheldRoot: stripe.locked */
  :: else
  fi;
  if
  :: m || alone && !list[l] && !(st[l] & PRUNING)
  :: else ->
#ifndef BROKEN_HEIR_OF_SINGLE_LINK
     atomic { if :: only[SOURCE(l)] == l -> !locked; demandNode(SOURCE(l)) :: else fi }   /* S: Reaction+Family.inheritFamily: beginFamilyOfSource */
#endif
     atomic {                                                     /* S: FamilyWord.inherit: word.compareExchange */
       if
       :: tag[SOURCE(l)] != NOTHING && tag[l] == NOTHING -> tag[l] = INHERITED; str[l] = str[SOURCE(l)]
       :: else
       fi
     }
  fi;
  m = 0
}

/* AnyPromise.stayBelowSource, and Leaving: p was claimed, and not by its reaction */
inline stay() {
  atomic { won = !(retired & BIT(p)); if :: won -> pins[p]++; if :: st[SOURCE(p)] & DONE -> retain(SOURCE(p)); m = 1 :: else fi :: else fi }
  if
  :: m ->
     atomic {                                                     /* S: AnyPromise+Family.stateWithNode: stripe.locked */
       if
       :: tag[SOURCE(p)] == INHERITED && (handed & BIT(SOURCE(p))) || tag[SOURCE(p)] == OWNED
       :: else -> !locked; demandNode(SOURCE(p))
       fi
     }
     atomic {                                                     /* S: AnyPromise+Family.stayBelowSource: stripe.locked */
       !locked;
       if
       :: tag[p] != OWNED ->
          s0 = str[SOURCE(p)]; newNode(p); reveal(p);
          if
          :: (lw[p] & FIRED) && HASPLACE(p) ->                    /* S: Reaction+Family.hasStablePlace: word.load */
             z0 = p; giveToNode(z0, p); handed = handed | BIT(p)
          :: else -> if :: tag[SOURCE(p)] == OWNED -> nup[p] = SOURCE(p); assert(INTREE(p)) :: else fi
          fi
       :: else
       fi
     }
  :: else
  fi;
  if
  :: won ->
     atomic {                                                     /* S: Leaving.drop: detach */
       if
       :: !(stays & BIT(p)) ->
          if :: !(lw[p] & (STARTED | DETACHED)) -> assert(!(took & BIT(p))); took = took | BIT(p) :: else fi;
          lw[p] = lw[p] | DETACHED
       :: else
       fi;
       pins[p]--
     }
     if :: m -> m = 0; drop(SOURCE(p)) :: else fi;
     atomic { pins[p] == 0; retired = retired | BIT(p) }
  :: else
  fi;
  won = false
}

/* FamilyWalk below w.  What is found is retained. */
#ifdef BROKEN_CLOSED_SKIPPED
#define LOOKED(x) !(st[x] & CLOSED)
#else
#define LOOKED(x) true
#endif
#define FOUND(x, w) (lup[x] != NONE && LOOKED(x) && UNDER(lup[x], w) || nup[x] != NONE && UNDER(nup[x], w) && (shown & BIT(x)) || early[SOURCE(x)] == x && UNDER(SOURCE(x), w))
#define CAND(x, w) (FOUND(x, w) && !((visited | found) & BIT(x)) -> BIT(x) : 0)
inline walk(w) {
  atomic {                                                        /* S: FamilyWalk.walkNextPiece: stripe.locked */
    !locked;
    if
    :: tag[w] == OWNED -> cand = CAND(C, w) | CAND(G, w) | CAND(K, w) | CAND(H, w)
    :: tag[w] == NOTHING && only[w] != NONE -> cand = BIT(only[w]) & ~(visited | found)
    :: else
    fi;
    locked = (cand != 0);
  }
  if
  :: cand ->
     atomic {
       found = found | cand;
       do
       :: cand -> lowest(cand, x0); cand = cand & ~BIT(x0); retain(x0)
       :: else -> break
       od;
       x0 = 0; locked = false
     }
  :: else
  fi
}
inline retainAll(mask) {
  y0 = mask;
  do
  :: y0 -> lowest(y0, x0); y0 = y0 & ~BIT(x0); retain(x0)
  :: else -> break
  od; x0 = 0
}

/* m: 0 closed, 1 drain, 2 left to the pruner */
inline publish(q) {
  assert((st[q] & CLAIMED) && !(st[q] & DONE));
  st[q] = st[q] | DONE;
  if :: q != P && !(st[SOURCE(q)] & DONE) -> left = left | BIT(q) :: else fi;
  if
  :: st[q] & PRUNING -> m = 2
  :: else ->
     got[q] = list[q]; list[q] = 0;
     m = (got[q] != 0);
     if :: !got[q] -> st[q] = st[q] | CLOSED :: else fi
  fi
}
#define CLAIM(q) won = !(st[q] & CLAIMED); if :: won -> st[q] = st[q] | CLAIMED; maybe = maybe | (q != P && !(st[SOURCE(q)] & DONE) -> BIT(q) : 0) :: else fi
/* Of q, which has been closed by this thread */
#ifdef BROKEN_NOT_HIDDEN
inline hide(q) { skip }
#else
inline hide(q) { if :: marked & BIT(q) -> atomic { !locked; shown = shown & ~BIT(q) } :: else fi }   /* S: AnyPromise+Family.hideNode: stripe?.locked */
#endif

#ifdef BROKEN_HAND_OVER_HELD
#define ISALONE(l) true
#else
#define ISALONE(l) (rc[l] == 1)
#endif
#ifdef BROKEN_CARRIES_OUT_LISTS_ONLY
#define CARRYON skip
#else
#define CARRYON settled = BIT(cur); retain(cur); kept = BIT(cur); again = true
#endif
#ifdef BROKEN_LETS_GO_FIRST
#define LEAVE(l) drop(l); leaveFamily(l, alone, false); drop(SOURCE(l))
#else
#define LEAVE(l) leaveFamily(l, alone, false); letGo(l)
#endif
/* ReactionList.addTargets: of those that are not closed */
#define OPENED(x) (st[x] & CLOSED -> 0 : BIT(x))
#define OPEN(mask) ((mask) & (OPENED(C) | OPENED(G) | OPENED(K) | OPENED(H)))
#define QUIET !found && !again && !kept && !closing
inline work() {
  do
  :: found ->
     atomic {                                                     /* S: Cancellation.visit: claim(.cancelling) */
       lowest(found, p); found = found & ~BIT(p); visited = visited | BIT(p); again = true;
       CLAIM(p);
       assert(!won || !(spare & BIT(p)))
     }
     if
     :: won ->
#ifndef BROKEN_NEVER_STAYS
        if :: p != P -> stay() :: else fi;
#endif
        atomic {                                                  /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
          publish(p);
          if
          :: m == 1 ->
             toFire = toFire | BIT(p);
             if :: !isLimit -> y0 = OPEN(got[p]) & ~(found | visited) & ~(hAfter & got[p]); found = found | y0; retainAll(y0) :: else fi
          :: m == 0 -> closing = closing | BIT(p)
          :: m == 2 -> kept = kept | BIT(p); if :: !isLimit -> list[p] = list[p] | REQ; hAfter = hAfter & (p == C -> ~BIT(H) : ~BIT(K)) :: else fi
          fi;
          m = 0; won = false; p = 0; isLimit = false
        }
     :: else ->
        if
        :: isLimit || (p == P && !(st[P] & DONE)) -> skip
        :: atomic { !isLimit && (st[p] & CLOSED) } -> m = 1
        :: else ->
#ifndef BROKEN_REQUEST_UNMARKED
           wanted = wanted | BIT(p);                              /* S: FamilyWord.markWanted: word.bitwiseOr */
#endif
           atomic {                                               /* S: AnyPromise+Attaching.push: word.compareExchange */
             if
             :: st[p] & CLOSED -> m = 1
             :: else -> list[p] = list[p] | REQ; hAfter = hAfter & (p == C -> ~BIT(H) : (p == G -> ~BIT(K) : 255))
             fi
           }
        fi;
        if
        :: m -> walk(p); atomic { settled = settled | BIT(p); kept = kept | BIT(p) }
        :: else -> drop(p)
        fi;
        d_step { m = 0; p = 0 }
     fi
  :: !found && again ->
     d_step { again = false; l = P }
#ifndef BROKEN_LOOKS_ONCE
     do
     :: l <= G -> if :: settled & BIT(l) -> walk(l) :: else fi; l++
     :: else -> break
     od;
#endif
     atomic { l = 0; if :: !found -> settled = 0; visited = 0 :: else fi }
  :: !found && !again && kept -> atomic { lowest(kept, l); kept = kept & ~BIT(l) } drop(l); l = 0
  :: !found && !again && !kept && closing -> atomic { lowest(closing, l); closing = closing & ~BIT(l) } hide(l); drop(l); l = 0
  :: QUIET && cur && (got[cur] & REQ) ->
     atomic {                                                     /* S: Settlement.carryOut: cancellation.claim() */
       got[cur] = got[cur] & ~REQ;
       visited = BIT(cur);
       found = OPEN(got[cur]) & ~hAfter; y0 = found; retainAll(y0);
       hAfter = hAfter & ~got[cur];
       CARRYON
     }
  :: QUIET && cur && got[cur] && !(got[cur] & REQ) ->
#ifdef BROKEN_ALONE_WHEN_FIRED
     lone = isPassed && rc[cur] == 1 && ONE(got[cur]);
#endif
     atomic {                                                     /* S: Reaction.markFired: word.compareExchange */
       lowest(got[cur], l); got[cur] = got[cur] & ~BIT(l); hAfter = hAfter & ~BIT(l);
       won = !(lw[l] & DETACHED);
       if
       :: won && (passes & BIT(l)) -> assert(!(took & BIT(l))); took = took | BIT(l); lw[l] = lw[l] | STARTED | FIRED
       :: won && !(passes & BIT(l)) -> lw[l] = lw[l] | FIRED
       :: else
       fi
     }
     if
     :: won && !(passes & BIT(l)) -> place(); sched = sched | BIT(l)
     :: won && (passes & BIT(l)) ->
        atomic { CLAIM(l) }
        if
        :: won -> place(); passed = passed | BIT(l)
        :: else -> atomic { retain(cur) } end(l)
        fi
     :: !won && (passes & BIT(l)) -> endUnfired(l)
     :: else -> atomic { retain(cur) } end(l)
     fi;
     d_step { l = 0; won = false }
  :: QUIET && cur && !got[cur] ->
#ifdef BROKEN_LEAVES_BEFORE_CLOSED
     if :: isPassed && !alone && !list[cur] -> leaveUnclosed(cur) :: else fi;
#endif
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       lone = false;
       if
       :: list[cur] -> got[cur] = list[cur]; list[cur] = 0
       :: else -> st[cur] = st[cur] | CLOSED;
       fi;
       won = ((st[cur] & CLOSED) != 0)
     }
     if
     :: won && isPassed -> won = false; l = cur; cur = 0; hide(l); LEAVE(l)
     :: won && !isPassed -> won = false; closing = closing | BIT(cur); cur = 0
     :: else
     fi;
     d_step { l = 0 }
  :: QUIET && !cur && passed ->
     atomic { lowest(passed, l); passed = passed & ~BIT(l); alone = ISALONE(l) }   /* S: Reaction+Settling.publishTarget: holdsOnlyReferenceToTarget */
     atomic { pins[l] == 0; retired = retired | BIT(l) }
#ifndef BROKEN_INHERITS_WHEN_PUBLISHED
     inherit();
#endif
     atomic {                                                     /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
       publish(l);
       lone = alone && m == 1 && ONE(got[l]);
       won = (m == 1); m = 0
     }
#ifdef BROKEN_INHERITS_WHEN_PUBLISHED
     inherit();
#endif
     if
     :: won -> cur = l; isPassed = true
     :: else -> if :: st[l] & CLOSED -> hide(l) :: else fi; LEAVE(l)
     fi;
     d_step { l = 0; won = false }
  :: QUIET && !cur && !passed && toFire ->
     d_step { lowest(toFire, cur); toFire = toFire & ~BIT(cur); isPassed = false; lone = false }
  :: else -> break
  od;
  atomic { isPassed = false; isLimit = false; visited = 0; lone = false; alone = false }
}

#ifdef BROKEN_EARLY_UNFIRED
#define FIREDFIRST(l) true
#else
#define FIREDFIRST(l) (lw[l] & FIRED)
#endif
#ifdef BROKEN_GETTER_HIDES
#define REVEAL(p)
#else
#define REVEAL(p) reveal(p)
#endif
/* The user asks for the parent of the target of l. */
inline parent() {
  p = NONE;
  atomic { won = !(retired & BIT(l)); if :: won -> p = SOURCE(l); retain(p) :: else fi }   /* S: AnyPromise+State.parent: producer.read */
  if
  :: won && (st[p] & CLAIMED) ->
#ifndef BROKEN_GETTER_WANTS_NOTHING
     if :: !(st[p] & DONE) -> wanted = wanted | BIT(p) :: else fi;   /* S: AnyPromise+Family.showSource: markWanted */
#endif
#ifdef BROKEN_GETTER_MAKES_NODE_TOO_EARLY
     if
     :: true ->
        atomic { !locked; demandNode(p) }
#else
     if
     :: st[p] & DONE ->
        atomic { !locked; demandNode(p) }
#endif
#ifdef BROKEN_GETTER_ANSWERS_UNPINNED
        atomic { if :: !(retired & BIT(l)) -> pins[l]++; m = 1 :: else fi }
        if
        :: m ->
           atomic {
             m = 0;
#else
        atomic { won = !(retired & BIT(l)); if :: won -> pins[l]++ :: else fi }
        if
        :: won ->
           atomic {                                               /* S: AnyPromise+Family.showSettledSource: stripe.locked */
#endif
             !locked;
             if
             :: !(st[l] & CLAIMED) && tag[l] == NOTHING ->
                if
                :: (handed & BIT(p)) && nup[p] == NONE && lup[l] != NONE && lup[l] != p -> nup[p] = lup[l]; lup[l] = p; assert(INTREE(p)); REVEAL(p)
                :: else -> if :: FIREDFIRST(l) && UNPLACED(l) && early[p] == NONE -> early[p] = l :: else fi
                fi
             :: else
             fi
           }
#ifndef BROKEN_DROP_UNMARKED
           won = !(lw[l] & DETACHED);                             /* S: Reaction+Family.isDetachedInOrder: word.load */
#endif
           pins[l]--
        :: else
        fi
     :: else
     fi;
#ifdef BROKEN_GETTER_LOOKS_ONCE
     skip
#else
     won = won && !(st[l] & CLAIMED)
#endif
  :: else
  fi;
  if
  :: !won && p != NONE -> drop(p); p = NONE
  :: else
  fi;
  d_step { l = 0; won = false }
}

inline mustBe(q) {
  must = must | (RULE(C, q) -> BIT(C) : 0) | (RULE(G, q) -> BIT(G) : 0) | (RULE(K, q) -> BIT(K) : 0) | (RULE(H, q) -> BIT(H) : 0)
}

/* `mine`: what this thread holds from the beginning */
/* `mine`: what this thread holds from the beginning; `passes`, `stays`: reactions without a handler, and those whose handler runs though their
   target was cancelled */
proctype Thread(byte a, b, c, mine, passes, stays) {
  byte got[5], found, cand, visited, settled, kept, toFire, closing, passed, cur, l, p, m;
  bool won, again, isPassed, isLimit, lone, alone;
  do
  :: a ->
     atomic { l = a % 8; m = a - l; a = b; b = c; c = 0; }
     if
     :: m == RUN ->
        m = 0;
        if
        :: sched & BIT(l) ->
           atomic {                                               /* S: Reaction.start: word.bitwiseOr */
             sched = sched & ~BIT(l);
             won = !(lw[l] & (STARTED | DETACHED));
             if :: won -> assert(!(took & BIT(l))); took = took | BIT(l) :: else fi;
             lw[l] = lw[l] | STARTED
           }
           if :: won -> atomic { CLAIM(l) } :: else fi;
           if
           :: won -> passed = BIT(l)
           :: else -> end(l)
           fi;
           d_step { l = 0; won = false };
           work()
        :: true -> l = 0
        fi
     :: m == DROP ->
        m = 0;
        if
        :: sched & BIT(l) -> atomic { sched = sched & ~BIT(l); retain(l) } end(l); atomic { found = BIT(l); isLimit = true; l = 0 } work()
        :: true -> l = 0
        fi
     :: m == CANCEL ->
        atomic {
          m = 0;
          if :: l == 7 -> l = p :: else fi; p = 0;
          if :: l != NONE -> mustBe(l); found = BIT(l); retain(l); again = true :: else fi;
          running++; l = 0
        }
        work();
        atomic { outstanding--; running-- }
     :: m == LIMIT -> atomic { m = 0; found = BIT(l); isLimit = true; retain(l); l = 0 } work()
     :: m == ATTACH ->
        atomic {                                                  /* S: AnyPromise+Attaching.push: word.compareExchange */
          m = 0;
          if :: outstanding == 0 || (left & BIT(SOURCE(l))) && running == 0 -> spare = spare | BIT(l) :: else fi;
          rc[l] = 1; retired = retired & ~BIT(l);
          won = ((st[SOURCE(l)] & CLOSED) != 0);
          if
          :: won -> lw[l] = FIRED
          :: else ->
             if :: list[SOURCE(l)] & REQ -> hAfter = hAfter | BIT(l) :: else fi;
             list[SOURCE(l)] = list[SOURCE(l)] | BIT(l); there = there | BIT(l); l = 0
          fi
        }
        if :: won -> won = false; cur = SOURCE(l); lone = false; place(); atomic { cur = 0; sched = sched | BIT(l); there = there | BIT(l); l = 0 } :: else fi
     :: m == PARENT ->
        m = 0; parent();
        /* held from now on */
        atomic { if :: p != NONE && (mine & BIT(p)) -> rc[p]-- :: p != NONE && !(mine & BIT(p)) -> mine = mine | BIT(p) :: else -> a = 0 fi }
     :: m == PRUNE ->
        atomic {                                                  /* S: AnyPromise+Pruning.withBorrowedReactions: word.compareExchange */
          m = 0; if :: !(st[l] & CLAIMED) && list[l] -> got[l] = list[l]; list[l] = 0; st[l] = st[l] | PRUNING; won = true :: else fi
        }
        if
        :: won ->
           atomic {                                               /* S: AnyPromise+Pruning.returnReactions: word.compareExchange */
             st[l] = st[l] & ~PRUNING;
             if :: st[l] & DONE -> cur = l; retain(l); lone = false :: else -> list[l] = list[l] | got[l]; got[l] = 0 fi;
             won = false; l = 0
           }
           work()
        :: else
        fi
     fi
  :: !a && mine -> atomic { lowest(mine, l); mine = mine & ~BIT(l) } drop(l); l = 0
  :: else -> break
  od
}

#define HELD(q, mask) (((mask) & BIT(q)) != 0)
#define START(a, b, c, mine) rc[C] = rc[C] + HELD(C, mine); rc[G] = rc[G] + HELD(G, mine); rc[K] = rc[K] + HELD(K, mine); run Thread(a, b, c, mine, passes, stays)
#define WITHOUT_K there = there & ~BIT(K); list[G] = 0; rc[K] = 0; retired = retired | BIT(K)
#define WITHOUT_G WITHOUT_K; there = BIT(C); list[C] = 0; rc[G] = 0; retired = retired | BIT(G)
#define MAYBE_PASSES if :: passes = BIT(G) :: true fi
#define P_ALONE only[P] = NONE; rc[P] = 1   /* the reaction to C has no place */

init {
  byte l, m, passes, stays; bool won;
  atomic {
    l = 0;
    do :: l < 6 -> nup[l] = NONE; lup[l] = NONE; if :: l < 5 -> early[l] = NONE; only[l] = NONE :: else fi; l++ :: else -> break od;
    st[P] = CLAIMED | DONE | CLOSED; only[P] = C;
    rc[P] = 2; rc[C] = 1; rc[G] = 1; rc[K] = 1;
    lw[C] = FIRED; sched = BIT(C); list[C] = BIT(G); list[G] = BIT(K); there = BIT(C) | BIT(G) | BIT(K);
    retired = BIT(H); outstanding = 1; l = 0;
    if
    /* The smaller searches come first: most broken variants fail there. */
    :: WITHOUT_G; START(RUN + C, 0, 0, 0); START(CANCEL + P, 0, 0, 0); if :: START(0, 0, 0, BIT(C)) :: START(ATTACH + H, 0, 0, BIT(C)) fi
    :: WITHOUT_G; START(RUN + C, 0, 0, 0); START(LIMIT + C, 0, 0, BIT(C)); START(ATTACH + H, CANCEL + P, 0, BIT(C))
    :: P_ALONE; WITHOUT_G; START(RUN + C, 0, 0, 0); START(PARENT + C, CANCEL + 7, 0, BIT(C)); START(LIMIT + C, 0, 0, BIT(C))
    :: WITHOUT_K; if :: stays = BIT(G) :: true fi; outstanding = 2; START(RUN + C, RUN + G, 0, 0); START(CANCEL + G, ATTACH + K, CANCEL + P, BIT(G))
    :: WITHOUT_K; if :: stays = BIT(G) :: true fi; outstanding = 2; START(RUN + C, RUN + G, 0, 0); START(CANCEL + G, ATTACH + K, CANCEL + C, BIT(G) | BIT(C))
    :: WITHOUT_K; outstanding = 2; START(RUN + C, RUN + G, 0, 0); START(PARENT + G, CANCEL + G, CANCEL + P, BIT(G))
    :: WITHOUT_K; outstanding = 2; START(RUN + C, RUN + G, 0, 0); START(CANCEL + C, ATTACH + H, CANCEL + P, BIT(C))
    :: P_ALONE; WITHOUT_K; START(RUN + C, 0, 0, 0); START(PARENT + C, ATTACH + H, CANCEL + 7, BIT(C))
    :: WITHOUT_K; outstanding = 2; START(DROP + C, 0, 0, 0); START(CANCEL + C, ATTACH + H, CANCEL + P, BIT(C))
    :: START(RUN + C, RUN + G, 0, 0); START(CANCEL + P, 0, 0, 0)
    :: START(RUN + C, RUN + G, 0, 0); START(ATTACH + H, CANCEL + P, 0, BIT(C))
    :: MAYBE_PASSES; START(RUN + C, RUN + G, 0, 0); START(PARENT + G, CANCEL + 7, 0, BIT(G))
    :: START(RUN + C, 0, 0, 0); START(PARENT + G, ATTACH + H, CANCEL + P, BIT(G))
    :: P_ALONE; START(RUN + C, RUN + G, 0, 0); START(PARENT + G, CANCEL + 7, 0, BIT(G))
    :: P_ALONE; MAYBE_PASSES; START(RUN + C, RUN + G, 0, 0); START(PARENT + C, CANCEL + 7, 0, BIT(C))
    :: P_ALONE; START(DROP + C, 0, 0, 0); START(PARENT + C, CANCEL + 7, 0, BIT(C))
    :: WITHOUT_K; START(RUN + C, 0, 0, 0); START(CANCEL + P, 0, 0, 0); START(RUN + G, 0, 0, 0)
    :: WITHOUT_K; MAYBE_PASSES; START(RUN + C, 0, 0, 0); START(CANCEL + P, 0, 0, 0); START(0, 0, 0, BIT(C))
    :: WITHOUT_K; passes = BIT(G); START(RUN + C, 0, 0, 0); START(CANCEL + P, 0, 0, 0); START(ATTACH + H, 0, 0, BIT(C))
    :: passes = BIT(G); WITHOUT_K; START(RUN + C, 0, 0, 0); START(PARENT + G, 0, 0, BIT(G)); START(CANCEL + P, 0, 0, 0)
    :: WITHOUT_K; START(RUN + C, 0, 0, 0); START(PARENT + C, 0, 0, BIT(C)); START(CANCEL + P, 0, 0, 0)
    :: WITHOUT_K; MAYBE_PASSES; START(DROP + C, 0, 0, 0); START(CANCEL + P, 0, 0, 0); START(0, 0, 0, BIT(C))
    :: passes = BIT(G); START(RUN + C, 0, 0, 0); START(CANCEL + P, 0, 0, 0); START(0, 0, 0, BIT(G))
    :: WITHOUT_K; START(RUN + C, 0, 0, 0); START(CANCEL + P, 0, 0, 0); START(LIMIT + C, 0, 0, BIT(C))
    :: WITHOUT_K; START(RUN + C, 0, 0, 0); START(PRUNE + C, 0, 0, BIT(C)); START(CANCEL + P, 0, 0, 0)
    :: WITHOUT_K; START(LIMIT + C, 0, 0, BIT(C)); START(PRUNE + C, 0, 0, BIT(C)); START(CANCEL + P, 0, 0, 0)
    fi
  }
  (_nr_pr == 1);
  atomic {
    l = C;
    do
    :: l <= H ->
       assert(!(must & BIT(l)) || (st[l] & DONE));
       assert(!(spare & BIT(l)) || !(st[l] & CLAIMED));
       assert(!(st[l] & CLAIMED) || (st[l] & CLOSED));
       assert(!(st[l] & CLAIMED) || !list[l]);
       assert(pins[l] == 0);
       l++
    :: else -> break
    od;
    /* Jobs that nobody has run are dropped, the last first; then nothing is left. */
    l = H;
    do
    :: l >= C -> if :: sched & BIT(l) -> end(l) :: else fi; l--
    :: else -> break
    od;
    l = C;
    do
    :: l <= H ->
       assert(!(there & BIT(l)) || !(st[SOURCE(l)] & CLAIMED) || (freed & BIT(l)) || outstanding);
       assert(!(st[SOURCE(l)] & CLAIMED) || lup[l] == NONE && nup[l] == NONE && only[SOURCE(l)] == NONE);
       l++
    :: else -> break
    od;
    assert(!(nodes & ~BIT(P)) || outstanding)
  }
}
