/* PinnedReference: readers pin, look into the object, and unpin; who lets the object go retires first, and retiring waits
   until no pin is held.  Two readers, a rival who retires as well (leaveAdopted), and the owner, whose object may be in
   its `deinit` already, and who may have paused the reference before, to change the object under readers.  Sequentially consistent.

   Broken variants: BROKEN_RETIRE_WAITS_FOR_NOBODY, BROKEN_READ_WITHOUT_PIN,
   BROKEN_DROP_WITHOUT_RETIRING, BROKEN_READER_KEEPS_REFERENCE, BROKEN_REPLACE_IGNORES_PINS,
   BROKEN_PAUSE_IGNORES_PINS, BROKEN_PIN_IGNORES_PAUSE,
   BROKEN_READER_COUNTS (a reference, for a moment: if it is the last, the reader waits for its own pin). */

#define ADDRESS 1
#define RETIRED 2
#define PIN     4
#define PAUSED  128
#define OTHER   64                    /* replaced: refers to an object that lives for ever */

short word = ADDRESS;
bool freed = false;
byte won = 0;
bool changing = false;                /* a field of the object */

#ifdef BROKEN_READER_COUNTS
byte count = 1;                       /* references to the object */
#define LOCALS short bits; bool ok, counts

/* Lets a reference go: the last one retires, in `deinit`. */
inline release() {
  atomic { count--; ok = count == 0 }
  if :: ok -> retire(); freed = true :: else fi
}
#else
#define LOCALS short bits; bool ok
#endif

/* PinnedReference.pin(), unpin() */
inline read() {
  bits = word;                                                    /* S: PinnedReference.pin: word.load */
  ok = false;
  do
  :: ok || (bits & RETIRED) -> break
#ifndef BROKEN_PIN_IGNORES_PAUSE
  :: !ok && !(bits & RETIRED) && (bits & PAUSED) -> atomic { !(word & PAUSED); bits = word }   /* S: PinnedReference.pin: pausedBit */
  :: !ok && !(bits & RETIRED) && !(bits & PAUSED) ->
#else
  :: else ->
#endif
#ifdef BROKEN_READ_WITHOUT_PIN
     ok = true
#else
     atomic { if :: word == bits -> word = bits + PIN; ok = true :: else -> bits = word fi }   /* S: PinnedReference.pin: word.compareExchange */
#endif
  od;
  if
  :: ok && (bits & ADDRESS) ->
     assert(!freed && !changing);                                 /* the body begins to look */
#ifdef BROKEN_READER_COUNTS
     atomic { counts = count > 0; if :: counts -> count++ :: else fi }
     if :: counts -> release() :: else fi;
#endif
     assert(!freed && !changing);                                 /* and ends */
#ifndef BROKEN_READ_WITHOUT_PIN
     atomic { word = word - PIN }                                 /* S: PinnedReference.unpin: word.wrappingSubtract */
#endif
#ifdef BROKEN_READER_KEEPS_REFERENCE
     assert(!freed)                                               /* a use after that: a retain does not stop a deinit */
#endif
  :: ok && !(bits & ADDRESS) ->
#ifndef BROKEN_READ_WITHOUT_PIN
     atomic { word = word - PIN }
#endif
  :: else
  fi;
  bits = 0; ok = false
}

/* PinnedReference.retire(_:) */
inline retire() {
  bits = word;                                                    /* S: PinnedReference.change: word.load */
  ok = false;
  do
  :: ok || !(bits & ADDRESS) -> break
#ifndef BROKEN_RETIRE_WAITS_FOR_NOBODY
  :: !ok && (bits & ADDRESS) && bits >= PIN ->                    /* nothing is retired under a pin */
     atomic { (word < PIN || (word & OTHER)); bits = word }       /* S: PinnedReference.change: word.load */
#endif
  :: else ->
     if :: bits & RETIRED -> break :: else fi;
     atomic { if :: word == bits -> word = bits | RETIRED; ok = true :: else -> bits = word fi }   /* S: PinnedReference.change: word.compareExchange */
  od;
  if
  :: ok -> won++; assert(won == 1)
  :: else
  fi;
  bits = 0; ok = false
}

/* AdoptingReaction.releaseSource: PinnedReference.pause(at:), a change, resume() */
inline change() {
  bits = word;                                                    /* S: PinnedReference.change: word.load */
  ok = false;
  do
  :: ok || (bits & RETIRED) -> break
#ifndef BROKEN_PAUSE_IGNORES_PINS
  :: !ok && !(bits & RETIRED) && bits >= PIN -> atomic { (word < PIN); bits = word }   /* S: PinnedReference.change: word.load */
  :: !ok && !(bits & RETIRED) && bits < PIN ->
#else
  :: else ->
#endif
     atomic { if :: word == bits -> word = bits | PAUSED; ok = true :: else -> bits = word fi }   /* S: PinnedReference.change: word.compareExchange */
  od;
  changing = true;
  changing = false;
  if :: ok -> atomic { assert(word & PAUSED); word = word - PAUSED } :: else fi;   /* S: PinnedReference.resume: word.bitwiseXor */
  bits = 0; ok = false
}

active proctype End() {
  (_nr_pr == 1);
  assert(freed && (word / PIN) % 16 == 0 && !(word & PAUSED));
  assert(won == 1 || (word & OTHER))
}

/* Lets the object go: Reaction.endWithoutSettling and Reaction.deinit, or collapse for a promise. */
active proctype Owner() {
  LOCALS;
#ifdef BROKEN_READER_COUNTS
  release()
#else
  if :: change() :: skip fi;
#ifndef BROKEN_DROP_WITHOUT_RETIRING
  if
  :: retire()
  :: /* move: PinnedReference.replace(_:by:), which waits for pins, and retires nothing */
     do
     :: word == ADDRESS || (word & RETIRED) ->
        atomic { if :: word == ADDRESS -> word = OTHER; ok = true :: else -> ok = false fi }  /* S: PinnedReference.replace: change(old) */
        if
        :: ok -> break
        :: !ok && (word & RETIRED) -> retire(); break             /* lost: wait for the pins all the same */
        :: else
        fi
#ifdef BROKEN_REPLACE_IGNORES_PINS
     :: !(word & RETIRED) -> atomic { if :: !(word & RETIRED) -> word = (word & ~ADDRESS) | OTHER :: else fi } break
#endif
     od
  fi;
#endif
  freed = true
#endif
}

active [2] proctype Reader() { LOCALS; read(); read() }

active proctype Rival() { LOCALS; read(); if :: retire() :: skip fi }
