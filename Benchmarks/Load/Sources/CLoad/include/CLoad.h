#pragma once
#include <stddef.h>

/// The number of bytes that the process has allocated and not freed, or 0 if the system does not say.
size_t allocated_bytes(void);

/// Writes each line of the standard output at its end.
void flush_lines(void);

/// Lets the calling thread, and all threads that it makes, run on the first core only. Returns 0 on success.
int use_one_core(void);

/// Limits the data of the process to a number of bytes. Returns 0 on success.
int limit_data(size_t bytes);

/// Makes `SIGUSR1` stop the thread that receives it for a number of milliseconds.
void stop_threads_by_signal(int milliseconds);

/// Sends `SIGUSR1` to a thread of this process. Returns 0 on success.
int stop_thread(int thread);
