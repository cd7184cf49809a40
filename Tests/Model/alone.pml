/* May a promise that only its reaction retains be closed in the step that publishes it?  No: decision 23.
   Sequentially consistent.

   P is settled by one thread.  A reaction waits for P, and would settle Q.  A client holds Q, and asks for its parent,
   which is P; then it attaches a reaction of its own to P, which must not be scheduled before the other (rule 2.2).

   Broken variants: BROKEN_CLOSED_AT_ONCE, BROKEN_CLOSED_IF_UNSHOWN (the client marks P before it looks at it, and the
   settling thread looks at the mark, too). */

#define DONE   1
#define CLOSED 2
#define LISTED 4              /* the client's reaction waits in the list of P */
#define SHOWN  8

byte word = 0;
byte references = 1;          /* of P: that of the reaction that settles it */
byte pins = 0;                /* of Q's reference to its reaction */
bool retired = false;         /* Q's reaction has ended */
bool first = false;           /* Q's reaction was scheduled */
bool second = false;          /* the client's reaction was scheduled */

inline scheduleSecond() { atomic { assert(first); assert(!second); second = true } }

active proctype End() {
  (_nr_pr == 1);
  assert(references == 0 && (word & CLOSED) && !(word & LISTED) && first)
}

active proctype Settler() {
  byte old; bool alone;
  alone = (references == 1);                             /* S: ReferenceCount.isOne: word */
  d_step { old = word; word = word | DONE;               /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
#ifdef BROKEN_CLOSED_AT_ONCE
    if :: alone && !(old & LISTED) -> word = word | CLOSED :: else fi
#endif
#ifdef BROKEN_CLOSED_IF_UNSHOWN
    if :: alone && !(old & (LISTED | SHOWN)) -> word = word | CLOSED :: else fi
#endif
  }
  if :: references > 0 -> references++ fi;               /* Q's reaction retains its settled source */
  first = true;                                          /* the job of Q's reaction is with its context */
  do
  :: word & CLOSED -> break
  :: else ->
     atomic {                                            /* S: AnyPromise+Settling.drain: word.compareExchange */
       if
       :: word & LISTED -> word = word & ~LISTED; alone = true
       :: else -> word = word | CLOSED; alone = false
       fi
     }
     if :: alone -> scheduleSecond() :: else fi
  od;
  references--
}

active proctype Job() {
  first;
  atomic { pins == 0 -> retired = true }                 /* S: PinnedReference.change: word.compareExchange */
  references--
}

active proctype Client() {
  byte old;
  atomic { if :: !retired -> pins++ :: else -> goto end fi }   /* S: PinnedReference.pin: word.compareExchange */
  references++; assert(references > 1);
  pins--;                                                /* S: PinnedReference.unpin: word.wrappingSubtract */
#ifdef BROKEN_CLOSED_IF_UNSHOWN
  atomic { if :: !(word & DONE) -> word = word | SHOWN :: else fi }
#endif
  atomic {                                               /* S: AnyPromise+Attaching.push: word.compareExchange */
    old = word;
    if :: old & CLOSED :: else -> word = word | LISTED fi
  }
  if :: old & CLOSED -> scheduleSecond() :: else fi;
  references--;
end:
  skip
}
