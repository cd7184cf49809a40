/* A cancelled entry that keeps its handler for errors, or its handler of `always` (rule 2.5). Entry `e` waits for `p`.
   It has two handlers (`forks`), or one for errors, or one that runs once in any case (`runsOnce`). Sequentially
   consistent.

   A section under one lock is one step. One section accesses a second promise, and is two steps: a canceller reads the
   state of `p` under the lock of `e`. An entry that keeps a handler stays in the list of `p`, but is no consumer of it.

   Processes:
   - settle `p` with a value or an error, and fire it;
   - run the job;
   - cancel `e`, and leave `p` or give it up;
   - a third thread also cancels `e` or a promise above it, so that it holds the lock of `e` for a moment.

   Checked:
   - the handler for errors of a cancelled entry runs once if and only if `p` is rejected, and the handler of `always`
     runs once;
   - no handler for a value starts after the cancel has returned;
   - exactly one thread takes each handler, and the handler is released;
   - the count of consumers is correct;
   - no ended entry stays in a list. */

#define WAITING   0
#define SCHEDULED 1
#define RUNNING   2
#define ENDED     3

bool forks, runsOnce;
bool lkE, lkP;
bool pDone, pRejected, pByCall, eDone;
byte stage;
bool body, valueBody;                      /* the entry has its handlers */
bool listed, taken;
byte count, others;                        /* the consumers of p, and those other than e */
bool job, alwaysJob;
byte ranValue, ranError, ranAlways, dropped, bodies;   /* ghost */
bool cancelled;                            /* ghost: cancel has returned */
byte threads;

inline settleP(rejects, calls) {
  pDone = true; pRejected = rejects; pByCall = calls; count = 0; taken = listed; listed = false; fires = true
}

/* Locks and settles e. */
inline cancelE() {
  atomic {                                                         /* S: Cancellation.visit: let state = promise.lock() */
    !lkE -> won = !eDone;
    if :: won -> lkE = true; wasDone = pDone :: else fi            /* S: Departing.endHandler: source?.acquiredState */
  }
  if
  :: won ->
     atomic {
       if
       :: stage == RUNNING || stage == ENDED
       :: (stage == WAITING || stage == SCHEDULED) && !runsOnce && (!wasDone || pRejected) ->
          /* WhenCancelled.keepForError */
          departs = !wasDone;
          if :: stage == WAITING && valueBody -> valueBody = false; dropped++ :: else fi   /* S: Departing.endHandler: valueBody = entry.takeValueBody() */
       :: (stage == WAITING || stage == SCHEDULED) && !runsOnce && wasDone && !pRejected ->
          dropped = dropped + body + valueBody; body = false; valueBody = false; stage = ENDED   /* S: Departing.endHandler: body = unsafe */
       :: (stage == WAITING || stage == SCHEDULED) && runsOnce ->
          if
          :: wasDone                                               /* S: Departing.endHandler: if isSettled { return } */
          :: !wasDone -> always = body; body = false; stage = ENDED; departs = true   /* S: Departing.endHandler: runsBody = true */
          fi
       fi;
       eDone = true; lkE = false                                   /* S: Cancellation.settle: promise.reject(new, as: ending */
     }
  :: else
  fi;
  atomic { won = false; wasDone = false }
}
/* Departing.lockAndRemove */
inline depart() {
  if
  :: departs ->
     atomic {                                                      /* S: Departing.lockAndRemove: let state = promise.lock() */
       !lkP ->
       if
       :: pDone
       :: !pDone ->
          assert(listed);
#ifdef BROKEN_KEPT_UNLISTED
          listed = false;
#endif
          if :: runsOnce -> listed = false :: else fi;             /* S: Departing.lockAndRemove: promise.list.remove(entry) */
#ifndef BROKEN_KEPT_STAYS_CONSUMER
          assert(count > 0); count--;                              /* S: Departing.lockAndRemove: state.removingConsumer() */
#endif
          if :: count == 0 && gives -> settleP(true, true) :: else fi
       fi;
       departs = false
     }
  :: else
  fi
}

inline fireEntry() {
  atomic {                                                         /* S: Firing.activate: var state = entry.lock() */
    !lkE -> taken = false;
    if
    :: stage == WAITING && (!eDone || runsOnce || pRejected) && (pRejected || runsOnce || forks) ->
       stage = SCHEDULED; won = true;                              /* S: Firing.activate: state.stage = .scheduled */
       /* takeUnneededBody: keeps the handler for this outcome. */
       if
       :: forks && pRejected -> dropped = dropped + valueBody; valueBody = false   /* S: Firing.takeUnneededBody: if outcome.isRejected { return valueBody } */
       :: forks && !pRejected -> dropped = dropped + body; body = valueBody; valueBody = false
       :: else
       fi
    :: else ->
#ifdef BROKEN_VALUE_OF_CANCELLED
       if :: stage == WAITING && eDone && !pRejected && forks -> stage = SCHEDULED; won = true :: else fi;
#endif
       if
       :: !won ->
          dropped = dropped + body + valueBody; body = false; valueBody = false; stage = ENDED;   /* S: Firing.activateNothing: entry.link.pointee.body.take() */
          if :: !eDone -> eDone = true :: else fi
       :: else
       fi
    fi
  }
  if :: won -> job = true; won = false :: else fi
}
inline fireP() {
  if
  :: fires ->
     fires = false;
     if :: taken -> fireEntry() :: else fi
  :: else
  fi
}

#define LOCALS bool won, wasDone, departs, always, fires, gives

proctype Settler(bool rejects) {
  LOCALS;
  atomic { !lkP -> if :: !pDone -> settleP(rejects, false) :: else fi }   /* S: Settling.settle: let state = lock() */
  fireP();
  threads--
}
proctype Canceller(bool upstream) {
  LOCALS;
  cancelE();
  gives = upstream; depart(); gives = false;
  if :: always -> always = false; alwaysJob = true :: else fi;     /* S: Cancellation.settle: settled.entries.prepend( */
  atomic { assert(eDone); if :: stage != RUNNING && !ranValue -> cancelled = true :: else fi }
  fireP();
  threads--
}
/* Visits e once more, because e or a promise above it is cancelled. */
proctype Visitor() {
  byte seen;
  atomic { !lkE -> lkE = true; seen = stage }                      /* S: Cancellation.visit: let state = entry.lock() */
  atomic { stage = seen; lkE = false; seen = 0; threads-- }        /* stores the word unchanged */
}
proctype Context() {
  bool runs;
  do
  :: job ->
     atomic {                                                      /* S: Running.start: var state = lock() */
       !lkE -> job = false; runs = (stage == SCHEDULED);
       if :: runs -> stage = RUNNING :: else fi
     }
     if
     :: runs ->
        atomic {                                                   /* S: Running.callBody: link.pointee.body.take() */
          assert(body); body = false;
          if
          :: runsOnce -> ranAlways++
          :: !runsOnce && pRejected -> ranError++
          :: else -> ranValue++; assert(!cancelled)
          fi
        }
        atomic { !lkE -> stage = ENDED; eDone = true; runs = false }   /* S: Running.endRunning: var state = lock() */
     :: else
     fi
  :: atomic { alwaysJob -> alwaysJob = false; ranAlways++ }
  :: atomic { !threads && !job && !alwaysJob -> break }
  od
}

init {
  atomic {
    if :: forks = true; valueBody = true; bodies = 2 :: runsOnce = true; bodies = 1 :: bodies = 1 fi;
    body = true; listed = true; threads = 3;
    if :: count = 1 :: count = 2; others = 1 fi;
    if :: run Settler(true) :: run Settler(false) :: threads = 2 fi;
    if :: run Canceller(true) :: run Canceller(false) fi;
    run Visitor();
    run Context()
  }
  (_nr_pr == 1);
  d_step {
    assert(!lkE && !lkP && eDone && !taken);
    /* Each handler has run once, was released once, or is still kept for an error of p. */
    assert(ranValue + ranError + ranAlways + dropped + body + valueBody == bodies);
    assert(!valueBody && body == (!pDone && !runsOnce) && body == (stage == WAITING) && (body || stage == ENDED));
    assert(listed == body);
    assert(!runsOnce || ranAlways == 1);
    assert(runsOnce || !pDone || ranError == pRejected);
    assert(pDone || count == others)
  }
}
