/* A promise T that is cancelled takes the handler out of the reaction that would have settled it, while the source fires that reaction
   and its job runs (rule 2.5).  Four processes: the source's settler, the context, the canceller, and a thread that gives the fired
   reaction a place in the tree, which it writes into the field of the context.  The reaction is an ordinary one for the value, one that
   recovers from errors, a forked one, or that of an `always`.  Sequentially consistent.

   Broken variants: BROKEN_RECOVERS_AFTER_CANCEL (as it was in the first edition), BROKEN_ALWAYS_DETACHES, BROKEN_TAKES_FIRED_CONTEXT,
   BROKEN_FIRED_TAKES_DETACHED, BROKEN_MARKS_DETACHED, BROKEN_READS_AFTER_MARK, BROKEN_HALVED_IGNORED, BROKEN_NO_PIN,
   BROKEN_HALVE_IGNORES_STARTED, BROKEN_LATE_DETACHMENT_COUNTS. */

#define STARTED  1
#define FIRED    2
#define DETACHED 4
#define HALVED   8

#define VALUE  1
#define FORKED 2
#define ALWAYS 3
#define RECOVER 4                     /* also rescue, mapError */

#define CLAIMED  1
#define REJECTED 2
#define PIN 2

byte kind;
bool rejects;                         /* the source will be */
byte source = 0, target = 0;          /* claimed, rejected; claimed */
byte reaction = 0;
byte producer = 0;                    /* of T: 1: retired; pins */
bool freed = false;                   /* the reaction */
byte contextTaken = 0;                /* threads that took the context over */
bool placeWritten = false;            /* into the field of the context */
bool scheduled = false, jobOver = false, settlerOver = false;
byte bodyTaken = 0, valueTaken = 0;   /* closures; `value` is the second one of a forked reaction */
byte ranValue = 0, ranError = 0, ranAlways = 0;
bool alwaysByCancel = false, hasCancelled = false, startedBefore = false;

/* Reaction.deinit, after Reaction.endWithoutSettling or in endUnrun: retires, and waits for pins. */
inline free() {
  atomic { (producer < PIN); producer = producer | 1 }            /* S: Reaction.endUnrun: producer.retire */
  assert(!freed); freed = true;
  if :: !(reaction & (STARTED | FIRED | DETACHED)) -> contextTaken++ :: else fi
}

/* Takes the context over, and does not write the field. */
inline takeContext() {
  atomic { assert(!freed && !placeWritten); contextTaken++; assert(contextTaken == 1) }
}

active proctype End() {
  (_nr_pr == 1);
  d_step {
    /* Always: once, however things went, if anything went. */
    assert(kind != ALWAYS || ranAlways <= 1);
    assert(kind != ALWAYS || !(target || source) || ranAlways == 1);
    /* Handlers of errors run if the source is rejected; after a cancellation too. */
    assert(kind != FORKED || ((source & REJECTED) != 0) == (ranError == 1));
    assert(bodyTaken <= 1 && valueTaken <= 1);
    assert((contextTaken == 1) == (freed || (reaction & (STARTED | FIRED | DETACHED)) != 0))
  }
}

/* AnyPromise.activate, or pass, by who settles the source */
active proctype Settler() {
  bool live;
  atomic { if :: kind = VALUE :: kind = FORKED :: kind = ALWAYS :: kind = RECOVER fi; if :: rejects = true :: rejects = false fi }
  if
  :: source = CLAIMED | (rejects -> REJECTED : 0);                /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
     if
     :: !(kind == VALUE && rejects) && !(kind == RECOVER && !rejects) ->   /* handles */
#ifndef BROKEN_READS_AFTER_MARK
        assert(!freed && !placeWritten);                          /* storedContext */
#endif
        atomic {                                                  /* S: Reaction.markFired: word.compareExchange */
          live = !(reaction & DETACHED) || (reaction & STARTED);
#ifdef BROKEN_FIRED_TAKES_DETACHED
          live = true;
#endif
          if :: live -> reaction = reaction | FIRED :: else fi;
#ifdef BROKEN_MARKS_DETACHED
          reaction = reaction | FIRED
#endif
        }
        if
        :: live ->
#ifdef BROKEN_READS_AFTER_MARK
           assert(!freed && !placeWritten);
#endif
           atomic { contextTaken++; assert(contextTaken == 1) };  /* what was read before the mark */
           scheduled = true
        :: else -> free(); jobOver = true
        fi
     :: else ->
        atomic { live = !(reaction & (STARTED | DETACHED)); reaction = reaction | STARTED }   /* S: Reaction+Settling.winPassing: start() */
        if
        :: live ->
           takeContext();
#ifdef BROKEN_LATE_DETACHMENT_COUNTS
           atomic { if :: !(reaction & DETACHED) -> reaction = reaction | FIRED :: else fi };
#else
           atomic { if :: !(reaction & DETACHED) || (reaction & STARTED) -> reaction = reaction | FIRED :: else fi };
#endif
           assert(reaction & FIRED);                              /* so it retains its source */
           bodyTaken++; target = 1
        :: else
        fi;
        free(); jobOver = true
     fi
  :: jobOver = true
  fi
}

/* Job.run; a context runs its jobs */
active proctype Context() {
  byte before; 
  if
  :: scheduled ->
     atomic { before = reaction; reaction = reaction | STARTED; if :: hasCancelled -> skip :: else -> startedBefore = true fi }   /* S: Reaction.start: word.bitwiseOr */
     if
     :: !(before & (STARTED | DETACHED)) ->
        atomic { bodyTaken++; assert(bodyTaken == 1) }            /* takeBody(forError:startedFrom:) */
        if
        :: kind == FORKED ->
#ifdef BROKEN_HALVED_IGNORED
           atomic { valueTaken++; assert(valueTaken == 1) }
#else
           if :: !(before & HALVED) -> atomic { valueTaken++; assert(valueTaken == 1) } :: else fi
#endif
        :: else
        fi;
        atomic {
          if
          :: kind == ALWAYS -> ranAlways++
          :: kind == FORKED && rejects -> ranError++
          :: kind == FORKED && !rejects && !(before & HALVED) -> ranValue++; assert(startedBefore)
          :: kind == VALUE || kind == RECOVER -> ranValue++; assert(startedBefore)
          :: else
          fi
        }
        target = 1
     :: else
     fi;
     free()
  :: jobOver
  fi
}

/* Cancellation.giveUpUpstream, LeftReaction.take: all of it under a pin */
active proctype Canceller() {
  byte seen, before; bool isPinned, won;
  (kind);
  atomic { won = !target; target = 1 }                            /* S: AnyPromise+Settling.claim: word.compareExchange */
  if
  :: won ->
#ifdef BROKEN_NO_PIN
     isPinned = !(producer & 1);
#else
     atomic { isPinned = !(producer & 1); if :: isPinned -> producer = producer + PIN :: else fi }   /* S: PinnedReference.pin: word.compareExchange */
#endif
     if
     :: isPinned ->
        assert(!freed);
        seen = source;                                            /* S: AnyPromise.acquiredState: word.load */
        if
        :: kind == ALWAYS && !(seen & CLAIMED) ->
           atomic {                                               /* S: Reaction.detachBeforeFiring: word.compareExchange */
#ifdef BROKEN_ALWAYS_DETACHES
             won = !(reaction & (STARTED | DETACHED))
#else
             won = !(reaction & (FIRED | STARTED | DETACHED))
#endif
             if :: won -> reaction = reaction | DETACHED :: else fi
           }
           if
           :: won ->
              takeContext();
              atomic { bodyTaken++; assert(bodyTaken == 1) }
              alwaysByCancel = true
           :: else
           fi
        :: kind == ALWAYS && (seen & CLAIMED)
#ifdef BROKEN_RECOVERS_AFTER_CANCEL
        :: kind == RECOVER && (!(seen & CLAIMED) || (seen & REJECTED))
#endif
        :: kind == FORKED && (!(seen & CLAIMED) || (seen & REJECTED)) ->
           atomic { before = reaction; reaction = reaction | HALVED }         /* S: ForkedReaction.takeFulfilledHandler: word.bitwiseOr */
#ifdef BROKEN_HALVE_IGNORES_STARTED
           if :: !(before & (DETACHED | HALVED)) ->
#else
           if :: !(before & (STARTED | DETACHED | HALVED)) ->
#endif
              assert(!freed); atomic { valueTaken++; assert(valueTaken == 1) }
           :: else
           fi
        :: else ->
           atomic { before = reaction; reaction = reaction | DETACHED }       /* S: Reaction.detach: word.bitwiseOr */
           if
           :: !(before & (STARTED | DETACHED)) ->
              assert(!freed); atomic { bodyTaken++; assert(bodyTaken == 1) }
              if :: kind == FORKED -> atomic { valueTaken++; assert(valueTaken == 1) } :: else fi;
#ifdef BROKEN_TAKES_FIRED_CONTEXT
              takeContext()
#else
              if :: !(before & FIRED) -> takeContext() :: else fi
#endif
           :: else
           fi
        fi;
        assert(!freed);                                           /* location(of: reaction) */
#ifndef BROKEN_NO_PIN
        atomic { producer = producer - PIN }                      /* S: PinnedReference.unpin: word.wrappingSubtract */
#endif
        atomic { (producer < PIN); producer = producer | 1 }      /* S: Leaving.takeAll: producer.retire */
        if :: alwaysByCancel -> atomic { ranAlways++ } :: else fi
     :: else
     fi;
     hasCancelled = true                                          /* the call returns */
  :: else
  fi
}

/* AnyPromise.showSettledSource, under the stripe and a pin */
active proctype Placer() {
  (kind);
  if
  :: atomic { (reaction & FIRED) && !freed -> placeWritten = true }   /* S: Reaction+Family.hasStablePlace: word.load */
  :: skip
  fi
}
