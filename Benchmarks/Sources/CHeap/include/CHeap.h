#ifndef CHEAP_H
#define CHEAP_H

#include <stdint.h>

/// Returns how many bytes the allocator has handed out and not got back, with its header of 8 bytes for each block, in all
/// threads. Returns -1 where the allocator does not say (only glibc 2.33 and later does).
int64_t heap_bytes_in_use(void);

#endif
