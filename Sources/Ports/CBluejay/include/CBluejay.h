#ifndef CBLUEJAY_H
#define CBLUEJAY_H

// The interface of GLib, libdbus-1 and the kernel for Swift.
//
// No header of GLib or libdbus is included here, so that none enters the module graph of a program that has
// its own module for them: two modules that each include glib.h clash in debug builds. GLib is used through
// wrapper functions; libdbus through declarations of its functions, which CBluejay.c compares with the
// headers.

#ifndef __linux__
#error "Bluejay for Linux builds on Linux only; on Apple systems use github.com/steamclock/bluejay"
#else

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CBluejayDBusTypes.h"
#include "CBluejayDBusFunctions.h"
#include "CBluejayBluetooth.h"
#include "CBluejayThreads.h"

// GMainContext, GMainLoop, GSource.
typedef struct bluejay_context bluejay_context;
typedef struct bluejay_loop bluejay_loop;
typedef struct bluejay_source bluejay_source;

typedef void (*bluejay_release)(void *data);

// A context is reference-counted; `new` returns one reference.
bluejay_context *bluejay_context_default(void);
bluejay_context *bluejay_context_new(void);
bluejay_context *bluejay_context_ref(bluejay_context *context);
void bluejay_context_unref(bluejay_context *context);
int bluejay_context_is_owner(bluejay_context *context);
int bluejay_context_acquire(bluejay_context *context);
void bluejay_context_release(bluejay_context *context);
void bluejay_context_push_thread_default(bluejay_context *context);
void bluejay_context_pop_thread_default(bluejay_context *context);
// Ends the current poll of a context, or the next one; any thread may call it.
void bluejay_context_wake(bluejay_context *context);
// Runs one iteration without waiting; returns whether a source was dispatched.
int bluejay_context_iterate(bluejay_context *context);
// Runs one iteration, which waits until a source is ready.
int bluejay_context_wait(bluejay_context *context);

// A descriptor that is readable when a context has work, for another event loop.
typedef struct bluejay_watch bluejay_watch;
// Makes the calling thread the owner of the context; null if another thread owns it.
bluejay_watch *bluejay_watch_new(bluejay_context *context);
int bluejay_watch_descriptor(bluejay_watch *watch);
// Must be called after each iteration; returns whether the context already has work.
int bluejay_watch_arm(bluejay_watch *watch);
// Releases the ownership of the context.
void bluejay_watch_leave(bluejay_watch *watch);
void bluejay_watch_free(bluejay_watch *watch);

// The nesting depth of dispatched sources on the calling thread.
int bluejay_depth(void);

bluejay_loop *bluejay_loop_new(bluejay_context *context);
void bluejay_loop_unref(bluejay_loop *loop);
void bluejay_loop_run(bluejay_loop *loop);
void bluejay_loop_quit(bluejay_loop *loop);

// In microseconds.
int64_t bluejay_monotonic_time(void);

// The readiness of a descriptor: GIOCondition, which has the values of poll(2).
enum bluejay_condition {
    BLUEJAY_IN = 1,
    BLUEJAY_OUT = 4,
    BLUEJAY_ERR = 8,
    BLUEJAY_HUP = 16
};

// A source whose steps are functions of `data`; `release` is called when GLib has finished with `data`.
typedef struct bluejay_steps {
    int (*prepare)(void *data);
    int (*check)(void *data);
    void (*dispatch)(void *data);
    bluejay_release release;
} bluejay_steps;
bluejay_source *bluejay_source_new(
    bluejay_context *context, bluejay_steps steps, void *data, int can_recurse);
// The source is dispatched only in iterations in which no other source is ready.
void bluejay_source_make_last(bluejay_source *source);
// Detaches the source from its context and releases the reference.
void bluejay_source_end(bluejay_source *source);
// The source is dispatched after all existing sources that are ready in the same iteration.
void bluejay_source_fall_behind(bluejay_source *source);
// Releases the reference: the source ends with its context, or through the function below.
void bluejay_source_leave(bluejay_source *source);
// Detaches the source that is being dispatched from its context.
void bluejay_source_end_current(void);
// -1 disables it.
void bluejay_source_set_ready_time(bluejay_source *source, int64_t microseconds);
void *bluejay_source_add_descriptor(bluejay_source *source, int descriptor, uint32_t condition);
void bluejay_source_modify_descriptor(bluejay_source *source, void *tag, uint32_t condition);
void bluejay_source_remove_descriptor(bluejay_source *source, void *tag);
uint32_t bluejay_source_query_descriptor(bluejay_source *source, void *tag);

// Calls the function each time the process receives the signal.
bluejay_source *bluejay_signal_source_new(
    bluejay_context *context,
    int signal,
    void (*call)(void *data),
    void *data,
    bluejay_release release);
// Whether the signal has its default action.
int bluejay_signal_is_default(int signal);
// Ends the process by the default action of a signal.
void bluejay_end_by_signal(int number);
// Calls the function once when the process has ended, with the status of waitpid(2).
bluejay_source *bluejay_watch_child(
    bluejay_context *context,
    int process,
    void (*call)(int status, void *data),
    void *data,
    bluejay_release release);
// Waits on a separate thread for the end of a child that is no longer watched. A child that has ended stays
// in the process table until it is waited for, where it confuses callers that wait for any child.
void bluejay_reap(int process);

// Starts a program that ends with the thread that started it; `own_session` shields it from a terminal's
// signals. If `input` and `output` are not null, they receive the other ends of its pipes. Returns null, or
// the reason for a failure, which the caller must free.
char *bluejay_spawn(
    char **arguments, char **environment, int own_session, int *process, int *input, int *output);

// Sends a datagram to a socket of the service manager: a path, or an abstract name after `@`. Returns 0 or an
// errno; waits for at most a second.
int bluejay_notify(const char *name, const char *text, size_t length);

// Writes the 20 bytes of the SHA-1 digest (GChecksum).
void bluejay_sha1(const uint8_t *bytes, size_t count, uint8_t *digest);

// libdispatch's main queue, for a foreign main loop (CoreFoundation uses the same two functions). The handle
// is an eventfd on Linux; the callback runs the queued work on the calling thread.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

#endif // __linux__
#endif
