/* The tour of one family (rule 4.2), as a circular list of marks under one stripe. Promise 0 is the root, which is
   settled. Below it are 1 and 2. The list of 1 contains 3, and the list of 3 contains 4. The model has all marks:
   enters, exits, cursors and end marks.

   Processes, three or four in a program:
   - a thread settles 1, fires 3 and the entry in its list, and releases them;
   - another thread cancels 3, at any moment before or after;
   - another attaches 5 to 1 or to 0 once that promise is settled, settles 5, and releases it;
   - another collapses 2, which only a list retains, or a client releases 1;
   - two walks, below 0 and below 1, in pieces of one mark.

   A section under the stripe is one step, except that in a walk the read of a state and the retain are two. References
   are counted. Sequentially consistent.

   Checked:
   - a walk finds every promise that is pending below its promise from the beginning to the end, and no promise that is
     not below it;
   - it does not find a promise that is attached to its promise after the first piece;
   - the promises that it retains are alive, and no mark of a deallocated promise is accessed;
   - in the end no cursor is left, and every settled and released promise is deallocated. */

#define N 6
#define NONE 31
#define EXIT(p)   (p)
#define ENTER(p)  (N + (p))
#define CURSOR(w) (2 * N + 2 * (w))
#define END(w)    (2 * N + 2 * (w) + 1)
#define MARKS 16
#define OWNER(m) ((m) < N -> (m) : (m) - N)
#define IS_ENTER(m) ((m) >= N && (m) < 2 * N)

byte next[MARKS], prev[MARKS];             /* NONE: in no tour */
bool stripe;
byte at, behind;                           /* temporary */
bool done[N], hasExit[N], forwarded[N];
byte list[N];                              /* the entry in the list, or 0 */
byte rc[N]; bool freed[N];
byte above[N];                             /* ghost: the promise above this one, or NONE */
bool walking[2];                           /* ghost: the walk has finished its first piece, and has not ended */
byte stable[2];                            /* ghost: the promises that have been pending below since the walk began */
bool late[2];                              /* ghost: 5 was attached to the promise after the first piece */
byte target[2];
byte threads;

#define BIT(x) (1 << (x))
#define PENDING(x) (!done[x] && !forwarded[x])
#define IN_TOUR(m) (prev[m] != NONE)

/* Ghost: whether x is below y */
#define A(x) (above[x])
#define IS_BELOW(x, y) (A(x) == (y) || A(x) != NONE && (A(A(x)) == (y) || A(A(x)) != NONE && (A(A(A(x))) == (y) || \
  A(A(A(x))) != NONE && A(A(A(A(x)))) == (y))))

inline touch(m) { assert((m) >= 2 * N || !freed[OWNER(m)]) }
/* TourMark.insert(before:) */
inline insert(m, other) {
  at = other; touch(m); touch(at); assert(!IN_TOUR(m) && IN_TOUR(at)); behind = prev[at]; touch(behind);
  next[behind] = m; next[m] = at; prev[m] = behind; prev[at] = m;  /* S: Tour.insert: other.links.previous = bits */
  at = 0; behind = 0
}
/* TourMark.remove */
inline remove(m) {
  assert(IN_TOUR(m)); behind = prev[m]; at = next[m]; touch(behind); touch(at);
  next[behind] = at; prev[at] = behind; at = 0; behind = 0; next[m] = NONE; prev[m] = NONE   /* S: Tour.remove: self.links = TourLinks() */
}
/* AnyPromise.openExit, under the stripe */
inline openExit(p) {
  assert(!hasExit[p]); hasExit[p] = true;
  if
#ifndef BROKEN_EXIT_APART
  :: p != 0 && IN_TOUR(ENTER(p)) -> insert(EXIT(p), next[ENTER(p)])   /* S: Tour.openExit: exit.insert(before: TourMark.enter(self).next) */
#endif
  :: else -> next[EXIT(p)] = EXIT(p); prev[EXIT(p)] = EXIT(p)         /* S: Tour.openExit: exit.begin() */
  fi
}
inline placeBelow(e, p) {
  if
#ifdef BROKEN_PLACED_ALTHOUGH_SETTLED
  :: true ->
#else
  :: PENDING(e) ->                                                 /* S: Tour.belongsBelowSource: return state.isPending */
#endif
     insert(ENTER(e), EXIT(p)); above[e] = p
  :: else
  fi
}
/* Settles x, with its list, in one section of x and the stripe. If x was pending, `won` is set, and `e` is its
   entry. */
inline settle(x) {
#ifdef BROKEN_SHOWN_OUTSIDE_STRIPE
  atomic { won = PENDING(x); if :: won -> done[x] = true; e = list[x]; list[x] = 0; stable[0] = stable[0] & ~BIT(x); stable[1] = stable[1] & ~BIT(x) :: else fi }
  if
  :: won && e -> atomic { !stripe -> openExit(x); placeBelow(e, x) }
  :: else
  fi
#else
  atomic {
    !stripe ->                                                     /* S: Tour.place: Stripe.locked(new) */
    won = PENDING(x);
    if
    :: won ->
       assert(!freed[x]); done[x] = true; e = list[x]; list[x] = 0;   /* S: Tour.place: show(new) */
       if :: e -> openExit(x); placeBelow(e, x) :: else fi;        /* S: Tour.place: TourMark.enter(entry).insert(before: exit) */
       stable[0] = stable[0] & ~BIT(x); stable[1] = stable[1] & ~BIT(x)
    :: else
    fi
  }
#endif
}
/* Entry.deinit */
inline release(x) {
  atomic { assert(rc[x] > 0); rc[x]--; dies = (rc[x] == 0) }
  if
  :: dies ->
     assert(!PENDING(x));
#ifdef BROKEN_FREED_BEFORE_LEAVING
     freed[x] = true;
#endif
     atomic {                                                      /* S: Tour.leaveTour: Stripe.locked(state) */
       !stripe ->
       if :: hasExit[x] && IN_TOUR(EXIT(x)) -> remove(EXIT(x)) :: else fi;   /* S: Tour.leaveTour: TourMark.exit(self).remove() */
       if :: x != 0 && IN_TOUR(ENTER(x)) -> remove(ENTER(x)) :: else fi;     /* S: Tour.leaveTour: TourMark.enter(self).remove() */
       freed[x] = true;
       i = 0;
       do
       :: i < N -> if :: above[i] == x -> above[i] = above[x] :: else fi; i++
       :: else -> break
       od;
       above[x] = NONE; i = 0; dies = false
     }
  :: else
  fi
}
/* Settles x and fires the entry of its list, and so on. Each list retains its entry. */
inline settleAndFire(x) {
  f = x; e = 0;
  do
  :: f ->
     settle(f);
     if :: won -> g = e :: else -> g = 0 fi;
     if :: f != x -> release(f) :: else fi;
     atomic { f = g; g = 0; e = 0; won = false }
  :: else -> break
  od
}

#define LOCALS byte e, f, g, i; bool won, dies

/* Settles 1, and fires its entry. This thread retains 1. */
proctype Settler() { LOCALS; settleAndFire(1); release(1); threads-- }
/* A client that has a weak reference to 3 retains, cancels and releases it. */
proctype Canceller() {
  LOCALS;
  atomic { won = rc[3] > 0; if :: won -> rc[3]++ :: else fi }
  if
  :: won -> won = false; settleAndFire(3); release(3)
  :: else
  fi;
  threads--
}
/* A client attaches 5 to a settled promise, which it retains. */
proctype Attacher(byte to) {
  LOCALS;
  done[to];
  atomic {                                                         /* S: Tour.place: TourMark.enter(entry).insert(before: TourMark.exit(self)) */
    !stripe -> rc[5] = 1;
    if :: !hasExit[to] -> openExit(to) :: else fi;                 /* S: Tour.place: state.hasExit ? state : openExit(state) */
#ifdef BROKEN_LATE_BEHIND_EXIT
    insert(ENTER(5), next[EXIT(to)]);
#else
    insert(ENTER(5), EXIT(to));
#endif
    above[5] = to;
    if :: walking[0] && target[0] == to -> late[0] = true :: else fi;
    if :: walking[1] && target[1] == to -> late[1] = true :: else fi
  }
  if :: to -> release(to) :: else fi;
  settle(5);
  release(5);
  threads--
}
/* Collapses 2. */
proctype Collapser() {
  LOCALS;
#ifdef BROKEN_FORWARDED_OUTSIDE_STRIPE
  atomic { forwarded[2] = true; stable[0] = stable[0] & ~BIT(2); stable[1] = stable[1] & ~BIT(2) }
#else
  atomic {
    !stripe -> forwarded[2] = true;                                /* S: Collapsing.collapse: adopter.unlock(adopter.place(EntryList(), forwarded)) */
    stable[0] = stable[0] & ~BIT(2); stable[1] = stable[1] & ~BIT(2)
  }
#endif
  release(2);                                                      /* S: Collapsing.collapseNewestAdopter: last.release() */
  threads--
}

/* TourWalk */
proctype Walk(byte w) {
  LOCALS;
  byte mark, last, found, p; bool over, pending;
  p = target[w];
  done[p];
  atomic {
    i = 1;
    do
    :: i < N -> if :: IS_BELOW(i, p) && PENDING(i) && !freed[i] -> stable[w] = stable[w] | BIT(i) :: else fi; i++
    :: else -> break
    od;
    i = 0
  }
  do
  :: !over ->
     atomic {                                                      /* S: TourWalk.walkNextPiece: Stripe.locked(state) */
       !stripe -> stripe = true;
       if
       :: !hasExit[p] -> over = true; stripe = false               /* S: TourWalk.walkNextPiece: promise.relaxedState.hasExit */
       :: else ->
          last = (IN_TOUR(END(w)) -> END(w) : EXIT(p));            /* S: TourWalk.walkNextPiece: end.map */
          if
          :: IN_TOUR(CURSOR(w)) -> mark = next[CURSOR(w)]; remove(CURSOR(w))   /* S: TourWalk.takeStart: return mark.next */
#ifdef BROKEN_NO_CURSOR
          :: !IN_TOUR(CURSOR(w)) && walking[w] -> skip
          :: !IN_TOUR(CURSOR(w)) && !walking[w] ->
#else
          :: else ->
#endif
             mark = (p != 0 && IN_TOUR(ENTER(p)) -> next[ENTER(p)] : next[EXIT(p)])   /* S: TourWalk.takeStart: TourMark.enter(promise).next */
          fi
       fi
     }
     if
     :: over -> break
     :: else ->
        if
        :: mark != last ->
           touch(mark);
           if
           :: IS_ENTER(mark) ->
              pending = PENDING(OWNER(mark));                      /* S: TourWalk.walkNextPiece: $0.relaxedState.isPending */
              if
              :: pending ->
                 assert(IS_BELOW(OWNER(mark), p));
                 assert(rc[OWNER(mark)] > 0);
                 assert(!(late[w] && OWNER(mark) == 5));
                 found = found | BIT(OWNER(mark));                 /* S: TourWalk.walkNextPiece: found.append(entered.strong) */
                 rc[OWNER(mark)]++
              :: else
              fi;
              pending = false
           :: else
           fi;
           mark = next[mark]
        :: else
        fi;
        atomic {
          if
          :: mark == last -> over = true;                          /* S: TourWalk.walkNextPiece: removeMarks() */
#ifndef BROKEN_END_STAYS
             if :: IN_TOUR(END(w)) -> remove(END(w)) :: else fi;
#endif
             assert((stable[w] & ~found) == 0); walking[w] = false
          :: else ->
#ifndef BROKEN_NO_END
             if :: !IN_TOUR(END(w)) -> insert(END(w), EXIT(p)) :: else fi;   /* S: TourWalk.walkNextPiece: insertCursor(before: exit) */
#endif
#ifndef BROKEN_NO_CURSOR
             insert(CURSOR(w), mark);                              /* S: TourWalk.walkNextPiece: insertCursor(before: mark) */
             mark = 0;
#endif
             walking[w] = true
          fi;
          stripe = false; last = 0
        }
     fi
  :: else -> break
  od;
  do
  :: found -> atomic { e = 0; do :: !(found & BIT(e)) -> e++ :: else -> break od; found = found & ~BIT(e) }
     release(e)
  :: else -> break
  od;
  if :: p -> release(p) :: else fi;
  atomic { e = 0; mark = 0; stable[w] = 0; late[w] = false; walking[w] = false; threads-- }
}

init {
  byte i;
  atomic {
    do :: i < MARKS -> next[i] = NONE; prev[i] = NONE; i++ :: else -> break od;
    i = 0;
    do :: i < N -> above[i] = NONE; rc[i] = 1; i++ :: else -> break od;
    rc[5] = 0;
    done[0] = true; openExit(0);
    insert(ENTER(1), EXIT(0)); above[1] = 0;
    insert(ENTER(2), EXIT(0)); above[2] = 0;
    list[1] = 3; list[3] = 4;
    threads = 3;
    target[1] = 1;
    run Settler(); run Walk(0);
    if
    :: run Canceller()
    :: rc[1]++; threads = 4; run Canceller(); run Walk(1)
    :: rc[1]++; run Attacher(1)
    :: run Attacher(0)
    :: rc[1] = 3; threads = 4; run Walk(1); run Attacher(1)
    :: threads = 4; run Collapser(); rc[1]++; run Walk(1)
    fi;
    i = 0
  }
  (_nr_pr == 1);
  d_step {
    assert(!stripe && !threads);
    do
    :: i < N -> assert(i == 0 || PENDING(i) && !freed[i] || rc[i] == 0); assert(freed[i] == (rc[i] == 0 && (i != 5 || done[5]))); i++
    :: else -> break
    od;
    i = 2 * N;
    do :: i < MARKS -> assert(!IN_TOUR(i)); i++ :: else -> break od
  }
}
