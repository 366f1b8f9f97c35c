#ifndef CBLUEJAY_H
#define CBLUEJAY_H

// What Swift sees of GLib, of libdbus-1 and of the kernel.
//
// No header of GLib or libdbus is included here, so that none reaches the module graph of a program
// that has its own module of them: two modules that each include glib.h clash in debug builds. GLib is
// met through functions of ours; libdbus through declarations of its own functions, which CBluejay.c
// compares with the headers.

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

// A context is counted; `new` gives one reference.
bluejay_context *bluejay_context_default(void);
bluejay_context *bluejay_context_new(void);
bluejay_context *bluejay_context_ref(bluejay_context *context);
void bluejay_context_unref(bluejay_context *context);
int bluejay_context_is_owner(bluejay_context *context);
int bluejay_context_acquire(bluejay_context *context);
void bluejay_context_release(bluejay_context *context);
void bluejay_context_push_thread_default(bluejay_context *context);
void bluejay_context_pop_thread_default(bluejay_context *context);
// Ends the sleep of a context, or else its next one; any thread may call it.
void bluejay_context_wake(bluejay_context *context);
// One turn that does not wait; whether something was done.
int bluejay_context_iterate(bluejay_context *context);
// One turn that waits until there is something to do.
int bluejay_context_wait(bluejay_context *context);

// One descriptor that is readable when a context has something to do, for a loop that is not GLib's.
typedef struct bluejay_watch bluejay_watch;
// The calling thread has the context from now on; null when another has it.
bluejay_watch *bluejay_watch_new(bluejay_context *context);
int bluejay_watch_descriptor(bluejay_watch *watch);
// To be called after each turn; whether there is something to do already.
int bluejay_watch_arm(bluejay_watch *watch);
// The thread has the context no more.
void bluejay_watch_leave(bluejay_watch *watch);
void bluejay_watch_free(bluejay_watch *watch);

// How deep the calling thread is inside dispatched sources.
int bluejay_depth(void);

bluejay_loop *bluejay_loop_new(bluejay_context *context);
void bluejay_loop_unref(bluejay_loop *loop);
void bluejay_loop_run(bluejay_loop *loop);
void bluejay_loop_quit(bluejay_loop *loop);

// In microseconds.
int64_t bluejay_monotonic_time(void);

// What a descriptor is ready for: GIOCondition, which has the values of poll(2).
enum bluejay_condition {
    BLUEJAY_IN = 1,
    BLUEJAY_OUT = 4,
    BLUEJAY_ERR = 8,
    BLUEJAY_HUP = 16
};

// A source whose steps are functions of `data`; `release` gets it when GLib has finished with it.
typedef struct bluejay_steps {
    int (*prepare)(void *data);
    int (*check)(void *data);
    void (*dispatch)(void *data);
    bluejay_release release;
} bluejay_steps;
bluejay_source *bluejay_source_new(
    bluejay_context *context, bluejay_steps steps, void *data, int can_recurse);
// Dispatched only in turns in which nothing else is ready.
void bluejay_source_make_last(bluejay_source *source);
// Takes it off its context and gives the reference back.
void bluejay_source_end(bluejay_source *source);
// Dispatched behind all sources that there are, in the turns of which they are ready too.
void bluejay_source_fall_behind(bluejay_source *source);
// Gives the reference back: it goes with its context, or by the function below.
void bluejay_source_leave(bluejay_source *source);
// Takes the source that is being dispatched off its context.
void bluejay_source_end_current(void);
// -1 is never.
void bluejay_source_set_ready_time(bluejay_source *source, int64_t microseconds);
void *bluejay_source_add_descriptor(bluejay_source *source, int descriptor, uint32_t condition);
void bluejay_source_modify_descriptor(bluejay_source *source, void *tag, uint32_t condition);
void bluejay_source_remove_descriptor(bluejay_source *source, void *tag);
uint32_t bluejay_source_query_descriptor(bluejay_source *source, void *tag);

// Calls each time the process gets the signal.
bluejay_source *bluejay_signal_source_new(
    bluejay_context *context,
    int signal,
    void (*call)(void *data),
    void *data,
    bluejay_release release);
// Whether nobody handles or ignores it.
int bluejay_signal_is_default(int signal);
// Calls once when the process has ended, with the status of waitpid(2).
bluejay_source *bluejay_watch_child(
    bluejay_context *context,
    int process,
    void (*call)(int status, void *data),
    void *data,
    bluejay_release release);
// Waits for the end of a child that nobody watches any more, on a thread of its own: a process that has
// ended and is not waited for stays in the table, and in the way of whoever waits for any child.
void bluejay_reap(int process);

// Starts a program that ends with the thread that started it; `own_session` keeps a terminal's signals
// from it. Where `input` and `output` are not null they get the other ends of its pipes. What is given
// back is the reason why it could not be started, to be freed, or null.
char *bluejay_spawn(
    char **arguments, char **environment, int own_session, int *process, int *input, int *output);

// Writes the 20 bytes of the SHA-1 digest (GChecksum).
void bluejay_sha1(const uint8_t *bytes, size_t count, uint8_t *digest);

// libdispatch's main queue, for a main loop that is not its own (CoreFoundation uses the same two).
// The handle is an eventfd on Linux; the callback runs what is queued, on the calling thread.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

#endif // __linux__
#endif
