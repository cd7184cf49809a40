/* Collapsing two promises, one after the other, on two threads. An owner has `r`, `q` has adopted `r`, `a` has adopted
   `q`, and `x` has adopted `a`. Only the lists retain `q` and `a`. One thread collapses `q` into `r`. The second thread
   has a weak reference to `q`, and collapses `a` into `q`. A third thread ends `x`, or settles `r`. Sections and
   references are those of `collapse.pml`.

   Checked:
   - no promise is accessed or retained after its deallocation;
   - once no thread collapses any more, the source of `x` is the promise whose list contains `x`;
   - `x` is in no list after it has ended;
   - the count of consumers is correct;
   - in the end no collapsed promise stays alive. */

#define N 4
#define R 0
#define Q 1
#define A 2
#define X 3
#define NONE 15

bool lk[N], done[N], ended[N], forwarded[N], freed[N];
byte source[N], inList[N], forwardee[N], count[N], rc[N];

#define PENDING(p) (!done[p] && !forwarded[p])
inline touch(p0) { assert(!freed[p0]) }
inline retain(p0) { assert(rc[p0] > 0 && !freed[p0]); rc[p0]++ }
inline release(p0) {
  atomic {
    k = p0;
    do
    :: k != NONE ->
       assert(rc[k] > 0); rc[k]--;
       if
       :: rc[k] == 0 -> freed[k] = true; k = (forwarded[k] -> forwardee[k] : NONE)
       :: else -> k = NONE
       fi
    :: else -> break
    od;
    k = 0
  }
}
/* AnyPromise.resolved, in `to` */
inline resolve(p0) {
  to = p0;
  do
  :: touch(to); if :: forwarded[to] -> to = forwardee[to] :: else -> break fi
  od
}

#define LOCALS byte k, to, p, moved, from; bool unique, found

/* collapseNewestAdopter of p0, whose adopter is a0. The thread retains p0. */
inline collapse(p0, a0) {
  atomic {                                                         /* S: Collapsing.collapseNewestAdopter: last.isUnique */
    !lk[p0] -> touch(p0);
    unique = PENDING(p0) && inList[a0] == p0 && rc[a0] == 1;
    lk[p0] = unique
  }
  if
  :: unique ->
     atomic {                                                      /* S: Collapsing.collapse: adopter.tryLock() */
       touch(a0);
       if
       :: !lk[a0] && PENDING(a0) && !ended[a0] && (inList[X] == a0 || inList[A] == a0) ->
          moved = (inList[X] == a0 -> X : A);
          inList[moved] = p0; retain(moved);                       /* S: Collapsing.collapse: list.replace(adopter, by: adopter.list) */
          inList[a0] = NONE; source[a0] = NONE; ended[a0] = true;
          retain(p0); forwardee[a0] = p0; forwarded[a0] = true;    /* S: Collapsing.collapse: adopter.forward(to: self) */
          count[p0] = count[p0] + count[a0] - 1; count[a0] = 0     /* S: Collapsing.collapse: addingConsumers(1 + (others?.count ?? 0)) */
       :: else -> unique = false
       fi;
       lk[p0] = false
     }
  :: else
  fi;
  if
  :: unique ->
     atomic {                                                      /* S: Collapsing.resolveSource: unsafe link.pointee.source = source.with */
       !lk[moved] ->
       if
       :: !ended[moved] && source[moved] != NONE ->
#ifdef BROKEN_NAMES_ITSELF
          source[moved] = p0
#else
          resolve(source[moved]); source[moved] = to; to = 0
#endif
       :: else
       fi
     }
     release(moved);
     release(a0)                                                   /* S: Collapsing.collapseNewestAdopter: last.release() */
  :: else
  fi;
  atomic { unique = false; moved = 0 }
}
proctype Lower() { LOCALS; collapse(R, Q); release(R) }
proctype Upper() {
  LOCALS;
  atomic { if :: rc[Q] > 0 -> rc[Q]++; found = true :: else fi }
  if :: found -> collapse(Q, A); release(Q) :: else fi
}
/* Ends x, which leaves the promise that it has adopted. */
proctype Ender() {
  LOCALS;
  atomic {                                                         /* S: Departing.end: source = unsafe entry.link.pointee.source?.strong */
    !lk[X] -> p = source[X];
    if :: !ended[X] -> retain(p); source[X] = NONE; ended[X] = true; done[X] = true :: else -> p = NONE fi
  }
  do
  :: p != NONE ->
     from = NONE;
     atomic {                                                      /* S: Departing.lockAndRemove: let state = promise.lock() */
       !lk[p] -> touch(p);
       if
#ifdef BROKEN_RESOLVES_ONCE
       :: forwarded[p] && !found -> from = p; resolve(p); to = forwardee[p]; retain(to); p = to; to = 0; found = true
       :: forwarded[p] && found -> from = p; p = NONE
#else
       :: forwarded[p] -> from = p; resolve(p); retain(to); p = to; to = 0   /* S: Departing.lockAndRemove: promise = promise.resolved */
#endif
       :: done[p] -> from = p; p = NONE
       :: PENDING(p) ->
          from = p;
          if
          :: inList[X] == p -> inList[X] = NONE; assert(count[p] > 0); count[p]--; rc[X]--   /* S: Departing.lockAndRemove: promise.list.remove(entry) */
          :: else
          fi;
          p = NONE
       fi
     }
     release(from)
  :: else -> break
  od;
  release(X)
}
/* Settles r, and fires the entry that waits for it, and so on. Each list passes on its reference. */
proctype Owner() {
  LOCALS;
  p = R;
  do
  :: p != NONE ->
     atomic {                                                      /* S: Settling.settle: let state = lock() */
       !lk[p] -> touch(p); found = !done[p] && (p == R || !ended[p]);
       if
       :: found ->
          assert(PENDING(p)); done[p] = true; ended[p] = true; source[p] = NONE; count[p] = 0;   /* S: Firing.activateNothing: new.stage = .ended */
          to = (inList[Q] == p -> Q : (inList[A] == p -> A : (inList[X] == p -> X : NONE)));
          if :: to != NONE -> inList[to] = NONE :: else fi
       :: else -> to = NONE
       fi
     }
     if
     :: from != 0 && from != NONE -> release(from)                 /* the previous promise; its entry has been fired */
     :: else
     fi;
     if :: p != R -> from = p :: else from = NONE fi;
     p = to
  :: else -> break
  od;
  if :: from != NONE -> release(from) :: else fi;
  release(R);
  if :: rc[X] > 0 -> release(X) :: else fi
}

init {
  byte i;
  atomic {
    do :: i < N -> source[i] = NONE; inList[i] = NONE; forwardee[i] = NONE; i++ :: else -> break od;
    source[Q] = R; inList[Q] = R; source[A] = Q; inList[A] = Q; source[X] = A; inList[X] = A;
    count[R] = 1; count[Q] = 1; count[A] = 1;
    rc[R] = 2; rc[Q] = 1; rc[A] = 1; rc[X] = 2;
    run Lower(); run Upper();
    if :: run Ender() :: run Owner() fi
  }
  (_nr_pr == 1);
  d_step {
    assert(!lk[R] && !lk[Q] && !lk[A] && !lk[X]);
    assert(inList[X] == NONE || !done[X] && source[X] == inList[X]);
    assert(done[R] || count[R] == (inList[Q] == R) + (inList[A] == R) + (inList[X] == R));
    assert(!(forwarded[Q]) || freed[Q]); assert(!(forwarded[A]) || freed[A]);
    assert(done[X] && inList[X] == NONE)
  }
}
