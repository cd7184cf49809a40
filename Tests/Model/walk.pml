/* Walks through a family tree in pieces.  O is above R, whose subtree two threads walk through at once, in pieces of one or two members
   (256 in Swift).  Between two pieces a cursor keeps the position: a node of no promise.  Meanwhile a third thread changes the tree:
   a reaction leaves, or gives its place to another or to a node; a reaction is added; a promise with a node is deallocated, and what stands below
   that moves up, also where nodes without a promise have been waiting for it.

          O ──┬── R ──┬── A ──┬── S
              │       │       └── B ──┬── X
              └── V   └── Z           └── Y

   What is done under the stripe is one step.  What members are, and which promises a walk retains, is the business of `family`.

   Each member that was there all the time is visited; nothing else is, but what stood below R at that time; no member is used after it
   was released; and when the walks have ended, no cursor is left, and no node that is not needed.

   Broken variants: BROKEN_BELOW_CURSOR, BROKEN_CHILD_MOVES_FIRST, BROKEN_CURSOR_NOT_COUNTED, BROKEN_GOES_ON_ABOVE,
   BROKEN_OLD_CURSOR_LEAVES_FIRST, BROKEN_POSITION_NOT_KEPT. */

#define O 1
#define R 2
#define A 3
#define B 4
#define N 5                           /* a node that comes later */
#define S 6
#define X 7
#define Y 8
#define Z 9
#define V 10                          /* outside */
#define W 11                          /* a reaction that comes later */
#define FIRSTCURSOR 12                /* two of each walk */
#define COUNT 16
#define BIT(m) (1 << (m))
#define ISNODE(m) (m <= N || m >= FIRSTCURSOR)

byte par[COUNT], nxt[COUNT], fst[COUNT];
short there, gone;                    /* members that there are; nodes whose promise is gone */
short always;                         /* those that have stood there since the walks began */
hidden byte q, r;

/* --- FamilyNode and FamilyMember.  All inside atomic. */

inline use(m) { assert(there & BIT(m)) }
/* q: the sibling before; 0: none */
inline previous(m) {
  q = fst[par[m]];
  if
  :: q == m -> q = 0
  :: else -> do :: nxt[q] != m -> q = nxt[q]; assert(q) :: else -> break od
  fi
}
inline unlink(m) {
  use(par[m]);
  previous(m);
  if :: q -> nxt[q] = nxt[m] :: else -> fst[par[m]] = nxt[m] fi;
  par[m] = 0; nxt[m] = 0; q = 0
}
inline insertFirst(n, m) { use(n); there = there | BIT(m); par[m] = n; nxt[m] = fst[n]; fst[n] = m }
inline insertBehind(m, sibling) {
  use(sibling); use(par[sibling]);
  there = there | BIT(m); par[m] = par[sibling]; nxt[m] = nxt[sibling]; nxt[sibling] = m
}
inline insert(n, m) {
  use(n);
  there = there | BIT(m); par[m] = n; nxt[m] = 0;
  if
  :: fst[n] == 0 -> fst[n] = m
  :: else -> q = fst[n]; do :: nxt[q] -> q = nxt[q] :: else -> break od; nxt[q] = m; q = 0
  fi
}
inline takePlace(m, old) {
  previous(old);
  par[m] = par[old]; nxt[m] = nxt[old];
  if :: q -> nxt[q] = m :: else -> fst[par[m]] = m fi;
  par[old] = 0; nxt[old] = 0; q = 0
}
#ifdef BROKEN_CURSOR_NOT_COUNTED
#define ONLY(n) (fst[n] && (nxt[fst[n]] == 0 || nxt[fst[n]] >= FIRSTCURSOR && nxt[nxt[fst[n]]] == 0))
#else
#define ONLY(n) (fst[n] && nxt[fst[n]] == 0)
#endif
/* FamilyNode.tidy */
inline tidy(m) {
  r = m;
  do
  :: r && (gone & BIT(r)) && fst[r] == 0 ->
     there = there & ~BIT(r); always = always & ~BIT(r); gone = gone & ~BIT(r);
     if
     :: par[r] -> s = par[r]; unlink(r); r = s; s = 0
     :: else -> r = 0
     fi
  :: r && (gone & BIT(r)) && ONLY(r) ->
     there = there & ~BIT(r); always = always & ~BIT(r); gone = gone & ~BIT(r);
     s = fst[r]; fst[r] = 0;
#ifdef BROKEN_CURSOR_NOT_COUNTED
     if :: nxt[s] -> par[nxt[s]] = 0; nxt[s] = 0 :: else fi;
#endif
#ifdef BROKEN_CHILD_MOVES_FIRST
     if :: par[r] -> t = par[r]; unlink(r); insertFirst(t, s); t = 0 :: else -> par[s] = 0 fi;
#else
     if :: par[r] -> takePlace(s, r) :: else -> par[s] = 0 fi;
#endif
     r = 0; s = 0
  :: else -> break
  od;
  r = 0
}
inline leave(m) { t = par[m]; if :: t -> unlink(m); tidy(t) :: else fi; t = 0 }

/* --- FamilyWalk */

inline visit(m) { use(m); assert(m != V && m != O); visited = visited | BIT(m) }
/* FamilyWalk.step.  position: below or behind `at`; at == 0: the end */
inline step() {
  if
  :: isBelow -> next = fst[at]; above = at
  :: else -> use(at); next = nxt[at]; above = par[at]
  fi;
  if
#ifdef BROKEN_GOES_ON_ABOVE
  :: !next && above != O -> at = above; isBelow = false
  :: !next && above == O -> at = 0
#else
  :: !next && above != R -> at = above; isBelow = false
  :: !next && above == R -> at = 0
#endif
  :: else ->
     visit(next); at = next;
#ifdef BROKEN_BELOW_CURSOR
     isBelow = ISNODE(next)
#else
     isBelow = (ISNODE(next) && fst[next])
#endif
  fi;
  next = 0; above = 0
}
/* FamilyWalk.moveCursor */
inline moveCursor() {
  old = cursor;
#ifdef BROKEN_OLD_CURSOR_LEAVES_FIRST
  if :: old -> there = there & ~BIT(old); gone = gone & ~BIT(old); leave(old); old = 0 :: else fi;
#endif
  if
  :: at ->
     cursor = (cursor == mine -> mine + 1 : mine);
     gone = gone | BIT(cursor);
     if :: isBelow -> insertFirst(at, cursor) :: else -> insertBehind(cursor, at) fi
  :: else -> cursor = 0
  fi;
  if :: old -> assert(fst[old] == 0); leave(old); there = there & ~BIT(old); gone = gone & ~BIT(old); old = 0 :: else fi
}

proctype Walker(byte mine; bool inTwos, onlyTwos) {
  short visited; byte at, next, above, cursor, old, s, t; bool isBelow;
  at = R; isBelow = true;
  do
  :: atomic {                                                     /* S: FamilyWalk.walkNextPiece: stripe.locked */
#ifndef BROKEN_POSITION_NOT_KEPT
       if :: cursor -> at = cursor; isBelow = false :: else fi;
#endif
       step();
       if :: at && (inTwos) -> step() :: !at || !onlyTwos -> skip fi;
#ifndef BROKEN_POSITION_NOT_KEPT
       moveCursor();
       isBelow = false;
       at = 0; isBelow = false; visited = visited & always;
       if :: cursor :: else -> break fi
#else
       if :: at :: else -> break fi
#endif
     }
  od;
  atomic { assert((visited & always) == always) }
}

proctype Changer(byte changes) {
  byte s, t;
  do
  :: changes ->
     atomic {
       changes--;
       if
       /* A reaction leaves. */
       :: par[X] -> always = always & ~BIT(X); there = there & ~BIT(X); leave(X)
       :: par[Y] -> always = always & ~BIT(Y); there = there & ~BIT(Y); leave(Y)
       :: par[Z] -> always = always & ~BIT(Z); there = there & ~BIT(Z); leave(Z)
       /* It gives its place to the node of its target, below which another reaction stands. */
       :: par[X] && !(there & BIT(N)) -> there = there | BIT(N); takePlace(N, X); always = always & ~BIT(X); there = there & ~BIT(X); if :: !(there & BIT(W)) -> insert(N, W) :: true fi
       :: par[Z] && !(there & BIT(N)) -> there = there | BIT(N); takePlace(N, Z); always = always & ~BIT(Z); there = there & ~BIT(Z)
       /* Or to a reaction that its target has fired. */
       :: par[Y] && !(there & BIT(W)) -> there = there | BIT(W); takePlace(W, Y); always = always & ~BIT(Y); there = there & ~BIT(Y)
       /* It gives its place to the node of its source, and stands below that. */
       :: par[Y] && !(there & BIT(N)) -> there = there | BIT(N); takePlace(N, Y); insert(N, Y)
       /* A reaction is fired. */
       :: (there & BIT(B)) && !(gone & BIT(B)) && !(there & BIT(W)) -> insert(B, W)
       :: !(there & BIT(W)) -> insert(R, W)
       /* A promise is deallocated. */
       :: (there & BIT(A)) && !(gone & BIT(A)) -> gone = gone | BIT(A); always = always & ~BIT(A); tidy(A)
       :: (there & BIT(B)) && !(gone & BIT(B)) -> gone = gone | BIT(B); always = always & ~BIT(B); tidy(B)
       :: (there & BIT(N)) && !(gone & BIT(N)) -> gone = gone | BIT(N); tidy(N)
       :: else
       fi
     }
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    there = BIT(O);
    insert(O, R); insert(O, V); insert(R, A); insert(A, S);
    insert(A, B); insert(R, Z);
    insert(B, X); insert(B, Y);
    always = there & ~(BIT(O) | BIT(R) | BIT(V));
    run Walker(FIRSTCURSOR, true, false); run Walker(FIRSTCURSOR + 2, true, true); run Changer(3)
  }
  (_nr_pr == 1);
  atomic {
    i = O;
    do
    :: i < COUNT ->
       /* No cursor is left; a node without a promise has two members at least; and what there is stands where it did. */
       assert(i < FIRSTCURSOR || !(there & BIT(i)));
       assert(!(gone & BIT(i)) || fst[i] && nxt[fst[i]]);
       assert(i == O || !(there & BIT(i)) || (there & BIT(par[i])));
       i++
    :: else -> break
    od
  }
}
