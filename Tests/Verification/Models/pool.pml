/* The pool: no job is forgotten. Two threads schedule jobs. Two workers may run at a time, and a third replaces one
   whose handler blocks. A worker that finds no job searches for a while before it retires, if no other one searches.
   Meanwhile a single job wakes no worker. A section under the lock of the pool is one step. The start of a worker, the
   start of the watcher, a handler and the end of a search are steps of their own. Sequentially consistent. The hint
   that ends a search early is left out, because a search may end at any time.

   Shares that a worker takes in advance, and the job that it keeps, are left out: the watcher returns them.

   Processes:
   - each producer schedules two jobs;
   - a worker that is started requests jobs until it retires;
   - the watcher inspects the workers while the pool is watched, and finds those that block.

   The first job may block until all other jobs have run. It may also continue after the watcher has found it.

   Checked:
   - while jobs wait, workers that have been woken and have not yet requested work, or the searching worker, are as
     many as the jobs, or the pool is watched;
   - all jobs run, so nothing hangs;
   - no more than two workers run at a time that do not block, and one more while a blocked one continues;
   - at the end every worker has retired, and the watcher has ended. */

#define JOBS 4
#define WIDTH 2
#define LIMIT 3
#define NONE 9

byte waiting, ran, running;
byte searching = NONE;
bool awake[LIMIT], blocked[LIMIT], started[LIMIT], fresh[LIMIT];
bool inFirst[LIMIT];                       /* runs the job that blocks */
bool isWatched, watcherStarted;
bool firstTaken, firstBlocks;
bool allScheduled;
byte scheduled;

inline choose(w) {                         /* an idle worker, or NONE */
  if :: !awake[0] -> w = 0 :: awake[0] && !awake[1] -> w = 1 :: awake[0] && awake[1] && !awake[2] -> w = 2
     :: else -> w = NONE fi
}
#define canWake (running < WIDTH && !(awake[0] && awake[1] && awake[2]))
inline wake(w) { choose(w); assert(w != NONE); running++; awake[w] = true; fresh[w] = true; blocked[w] = false }
inline watch(starts) { if :: !isWatched -> isWatched = true; starts = true :: else fi }
inline covered() {
  assert(!waiting || isWatched || fresh[0] + fresh[1] + fresh[2] + (searching != NONE) >= waiting)
}
inline start(w, starts) {
  if :: w != NONE -> started[w] = true; w = NONE :: else fi;   /* S: Pool.schedule: woken?.start() */
  if :: starts -> watcherStarted = true; starts = false :: else fi /* S: Pool.schedule: if isNewlyWatched { startWatcher() } */
}

proctype Producer() {
  byte w = NONE; byte n; bool starts;
  do
  :: n < 2 ->
     n++;
     atomic {                                                      /* S: Pool.schedule: waiting.append(job) */
       waiting++; scheduled++;
       if
       :: canWake && (running == 0 || waiting > 1) -> wake(w)      /* S: Pool.schedule: wake() */
#ifdef BROKEN_LEAVES_ALL_TO_SEARCHER
       :: !(canWake && (running == 0 || waiting > 1)) && searching != NONE -> skip
#else
       :: !(canWake && (running == 0 || waiting > 1)) && searching != NONE && waiting == 1 -> skip
                                                                   /* S: Pool.schedule: isLeftToSearcher */
#endif
#ifdef BROKEN_NOT_WATCHED
       :: else -> skip
#else
       :: else -> watch(starts)
#endif
       fi;
       covered()
     }
     start(w, starts)
  :: else -> break
  od
}

/* The request of a worker for a job, under the lock. */
inline request(maySearch) {
  atomic {                                                         /* S: Pool.request: if worker.isBlocked { unblock(worker) } */
    if :: searching == id -> searching = NONE :: else fi;        /* S: Pool+Searching.endSearch: isSearched = false */
    fresh[id] = false;
    if :: blocked[id] -> blocked[id] = false; running++ :: else fi;
    if
    :: waiting && running <= WIDTH ->
       waiting--; has = true;
       inFirst[id] = (firstBlocks && !firstTaken); firstTaken = true;
       if :: waiting && canWake -> wake(w) :: else fi
    :: !waiting && running <= WIDTH && searching == NONE && maySearch ->
       searching = id; searches = true                             /* S: Pool+Searching.beginSearch: isSearched = true */
    :: else ->
       running--; awake[id] = false;                               /* S: Pool.request: retire(worker) */
#ifndef BROKEN_RETIRES_UNWATCHED
       if :: waiting -> watch(starts) :: else fi
#endif
    fi;
    covered()
  }
}

proctype Worker(byte id) {
  byte w = NONE; bool has, searches, starts;
  do
  :: atomic { started[id] -> started[id] = false };
again:
     request(true);
     start(w, starts);
     if
     :: searches ->
        searches = false;
#ifdef BROKEN_RETIRES_AFTER_SEARCH
        atomic { searching = NONE; running--; awake[id] = false; fresh[id] = false }
#else
        request(false);
        start(w, starts)
#endif
     :: else
     fi;
     if
     :: has ->
        has = false;
        if
        :: inFirst[id] -> if :: ran == JOBS - 1 :: blocked[id] fi; inFirst[id] = false
        :: else
        fi;
        atomic { ran++; assert(ran <= JOBS) };
        goto again
     :: else
     fi
  :: ran == JOBS && scheduled == JOBS && !awake[id] && !started[id] -> break
  od
}

proctype Watcher() {
  byte w = NONE; byte w2 = NONE; byte i; bool continues;
  do
  :: atomic { watcherStarted -> watcherStarted = false };
     continues = true;
     do
     :: continues ->
        atomic {                                                   /* S: Pool+Watching.inspectWorkers: isWatched.store(false, ordering: .relaxed) */
          isWatched = false; continues = false;
          i = 0;
          do
          :: i < LIMIT ->
             if
             :: inFirst[i] && awake[i] && !blocked[i] && !fresh[i] ->
                blocked[i] = true; running--                       /* S: Pool+Watching.replaceBlocked: block(worker) */
             :: !inFirst[i] && blocked[i] ->
                blocked[i] = false; running++                      /* S: Pool+Watching.inspect: unblock(worker) */
             :: else
             fi;
             i++
          :: else -> break
          od;
          if :: waiting && canWake -> wake(w) :: else fi;
          if :: waiting > 1 && canWake -> wake(w2) :: else fi;
#ifndef BROKEN_WATCHES_ONCE
          if :: waiting -> isWatched = true; continues = true :: else fi;
#endif
          covered()
        }
        if :: w != NONE -> started[w] = true; w = NONE :: else fi;
        if :: w2 != NONE -> started[w2] = true; w2 = NONE :: else fi
     :: else -> break
     od
  :: ran == JOBS && scheduled == JOBS && !watcherStarted && !isWatched -> break
  od
}

init {
  atomic {
    if :: firstBlocks = true :: skip fi;
    run Producer(); run Producer(); run Worker(0); run Worker(1); run Worker(2); run Watcher()
  }
  (_nr_pr == 1);
  assert(ran == JOBS && !waiting && running == 0 && searching == NONE && !isWatched)
}
