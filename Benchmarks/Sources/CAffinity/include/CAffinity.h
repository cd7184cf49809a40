#ifndef CAFFINITY_H
#define CAFFINITY_H

// Where the threads of this process may run.
//
// `sched_setaffinity` speaks of one thread; threads started later inherit from the thread that starts them. Dispatch
// has started its threads by the time the first workload runs, so these functions go through all threads of the
// process.

/// Remembers the cores that the process may use now. Call it first, before any other thread exists.
/// Returns how many there are, or 0 where threads cannot be pinned.
int caffinity_remember_cores(void);

/// Lets all threads of the process run on one core only, the last of those remembered (the first one serves most
/// interrupts). Returns 1 if every thread is pinned, else 0.
int caffinity_pin_to_one_core(void);

/// Lets all threads of the process run on all cores that were remembered. Returns 1 if every thread may, else 0.
int caffinity_use_all_cores(void);

#endif
