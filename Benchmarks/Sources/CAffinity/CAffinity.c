#define _GNU_SOURCE
#include "CAffinity.h"

#if defined(__linux__)

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

static cpu_set_t remembered;
static int remembered_count = 0;

int caffinity_remember_cores(void) {
  CPU_ZERO(&remembered);
  if (sched_getaffinity(0, sizeof remembered, &remembered) != 0) return 0;
  remembered_count = CPU_COUNT(&remembered);
  return remembered_count;
}

// Sets all threads; returns how many were not so before, or -1 on failure.
static int apply_once(const cpu_set_t *wanted) {
  DIR *tasks = opendir("/proc/self/task");
  if (tasks == NULL) return -1;
  int changed = 0;
  struct dirent *entry;
  while ((entry = readdir(tasks)) != NULL) {
    pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread <= 0) continue;
    cpu_set_t now;
    CPU_ZERO(&now);
    if (sched_getaffinity(thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, wanted)) continue;
    // A thread that has ended meanwhile is no failure.
    if (sched_setaffinity(thread, sizeof *wanted, wanted) != 0) {
      if (errno == ESRCH) continue;
      changed = -1;
      break;
    }
    changed++;
  }
  closedir(tasks);
  return changed;
}

// Again until nothing changes: a thread that was not set yet may have started another one during the walk.
static int apply(const cpu_set_t *wanted) {
  if (remembered_count == 0) return 0;
  for (int i = 0; i < 100; i++) {
    int changed = apply_once(wanted);
    if (changed < 0) return 0;
    if (changed == 0) return 1;
  }
  return 0;
}

int caffinity_pin_to_one_core(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = CPU_SETSIZE - 1; core >= 0; core--) {
    if (CPU_ISSET(core, &remembered)) {
      CPU_SET(core, &one);
      break;
    }
  }
  return apply(&one);
}

int caffinity_use_all_cores(void) { return apply(&remembered); }

#else

int caffinity_remember_cores(void) { return 0; }
int caffinity_pin_to_one_core(void) { return 0; }
int caffinity_use_all_cores(void) { return 0; }

#endif
