#ifndef CBLUEJAY_THREADS_H
#define CBLUEJAY_THREADS_H

// Threads of the system, without Foundation's: that library is larger than all of the rest.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A number that no other thread has at the same time, and that is never 0.
uintptr_t bluejay_current_thread(void);
// Whether the calling thread is the one that the process began with.
int bluejay_is_main_thread(void);

// Starts a thread that nobody waits for; a stack of 0 bytes has the system's size. Gives 0 or the number
// of errno.
int bluejay_start_thread(size_t stack_size, void (*body)(void *data), void *data);
// Names the calling thread for `ps -L`, `top` and `perf`; Linux keeps the first 15 bytes.
void bluejay_name_thread(const char *name);
// Marks the calling thread, to know it again.
void bluejay_mark_thread(void);
int bluejay_is_thread_marked(void);

// A lock, and what waits under it for a signal. Of pthreads, since a thread sanitizer sees no other lock.
typedef struct bluejay_lock bluejay_lock;
// It ends the process when memory is exhausted, as GLib and Swift do.
bluejay_lock *bluejay_lock_new(void);
void bluejay_lock_free(bluejay_lock *lock);
void bluejay_lock_take(bluejay_lock *lock);
void bluejay_lock_give(bluejay_lock *lock);
// The lock is held before and after; it may end without a signal.
void bluejay_lock_wait(bluejay_lock *lock);
// The same for so long at most; 0 when that is over.
int bluejay_lock_wait_until(bluejay_lock *lock, int64_t monotonic_microseconds);
// Wakes one, or all.
void bluejay_lock_signal(bluejay_lock *lock);
void bluejay_lock_broadcast(bluejay_lock *lock);

#pragma clang assume_nonnull end

#endif
