#include "CHeap.h"

#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)

#include <malloc.h>

// Blocks of their own mapping are counted apart. There the allocator counts whole pages.
int64_t heap_bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}

#else

int64_t heap_bytes_in_use(void) { return -1; }

#endif
