/* PinnedReference: readers pin, retain and unpin; the owner retires and lets the object go.  Three processes.
   Sequentially consistent.

   Broken variants: BROKEN_RETIRE_LEAVES_NOTHING, BROKEN_RETAIN_AFTER_EXCHANGE, BROKEN_LOAD_WITHOUT_PIN,
   BROKEN_DROP_WITHOUT_RETIRING (the object goes, nobody retired: the `deinit` of a link that its context dropped). */

#define RETIRED 2
#define ADDRESS 1
#define PIN     4

short word = ADDRESS;
short count = 1;                      /* the owner's reference */
bool freed = false;
byte loaded = 0;

#define LOCALS short bits, found; bool ok, pinned

inline retain() { atomic { assert(!freed && count > 0); count++ } }
inline release() { atomic { assert(!freed && count > 0); count--; if :: count == 0 -> freed = true :: else fi } }

/* PinnedReference.load(as:) */
inline load() {
  bits = word;                                                    /* S: load */
  ok = false;
  do
  :: ok || (bits & RETIRED) || !(bits & ADDRESS) -> break
  :: else ->
#ifdef BROKEN_LOAD_WITHOUT_PIN
     ok = true
#else
     atomic { if :: word == bits -> word = bits + PIN; ok = true :: else -> bits = word fi }   /* S: compareExchange, pin */
#endif
  od;
  if
  :: ok ->
     retain();                                                    /* S: takeUnretainedValue, retain */
#ifndef BROKEN_LOAD_WITHOUT_PIN
     atomic { word = word - PIN; bits = word };                   /* S: wrappingSubtract, unpin */
     if
     :: (bits & RETIRED) && bits < PIN -> release()               /* the reference that the retirer left behind */
     :: else
     fi;
#endif
     assert(!freed);                                              /* the use */
     loaded++;
     release()
  :: else
  fi
}

/* PinnedReference.retire(_:); the caller holds the object. */
inline retire() {
  bits = word;                                                    /* S: load */
  ok = false;
  do
  :: ok || (bits & RETIRED) -> break
  :: else ->
     pinned = (bits >= PIN);
#if !defined(BROKEN_RETIRE_LEAVES_NOTHING) && !defined(BROKEN_RETAIN_AFTER_EXCHANGE)
     if :: pinned -> retain() :: else fi;                         /* S: passRetained, before the exchange */
#endif
     atomic { if :: word == bits -> word = bits | RETIRED; ok = true :: else -> found = word; ok = false fi };  /* S: compareExchange */
#ifdef BROKEN_RETAIN_AFTER_EXCHANGE
     if :: ok && pinned -> retain() :: else fi;
#endif
#if !defined(BROKEN_RETIRE_LEAVES_NOTHING) && !defined(BROKEN_RETAIN_AFTER_EXCHANGE)
     if :: !ok && pinned -> release() :: else fi;                 /* S: release, after a failed exchange */
#endif
     if :: !ok -> bits = found :: else fi
  od
}

active proctype End() {
  (_nr_pr == 1);
  assert(freed && count == 0);        /* nothing leaks */
  assert(word == (ADDRESS | RETIRED)) /* no pin is left */
}

active proctype Owner() {
  LOCALS;
#ifndef BROKEN_DROP_WITHOUT_RETIRING
  retire();
#endif
  release()                           /* lets the object go */
}

/* Twice each: the second pin may come after the first reader's unpin, before and after the retirement. */
active [2] proctype Reader() { LOCALS; load(); load() }

/* A second thread that wants to retire, and holds the object meanwhile only if it could load it (as leaveAdopted). */
active proctype Rival() {
  LOCALS;
  bits = word; ok = false;
  do
  :: ok || (bits & RETIRED) -> break
  :: else -> atomic { if :: word == bits -> word = bits + PIN; ok = true :: else -> bits = word fi }
  od;
  if
  :: ok ->
     retain();
     atomic { word = word - PIN; bits = word };
     if :: (bits & RETIRED) && bits < PIN -> release() :: else fi;
     retire();
     release()
  :: else
  fi
}
