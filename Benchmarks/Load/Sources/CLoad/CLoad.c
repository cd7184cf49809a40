#define _GNU_SOURCE
#include "CLoad.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__linux__)
#include <malloc.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

size_t allocated_bytes(void) {
  struct mallinfo2 figures = mallinfo2();
  return figures.uordblks + figures.hblkhd;
}

int use_one_core(void) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(0, &cores);
  return sched_setaffinity(0, sizeof cores, &cores);
}

int stop_thread(int thread) { return (int)syscall(SYS_tgkill, getpid(), thread, SIGUSR1); }
#else
size_t allocated_bytes(void) { return 0; }

int use_one_core(void) { return -1; }

int stop_thread(int thread) { return -1; }
#endif

void flush_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

int limit_data(size_t bytes) {
  struct rlimit limit = {bytes, bytes};
  return setrlimit(RLIMIT_DATA, &limit);
}

static struct timespec stop;

static void sleep_in_handler(int signal) {
  int saved = errno;
  struct timespec left = stop;
  // Other signals do not shorten the stop.
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
  errno = saved;
}

void stop_threads_by_signal(int milliseconds) {
  stop.tv_sec = milliseconds / 1000;
  stop.tv_nsec = milliseconds % 1000 * 1000000L;
  struct sigaction action = {.sa_handler = sleep_in_handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
}
