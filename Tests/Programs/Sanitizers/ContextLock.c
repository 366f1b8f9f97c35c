#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

// A thread hands numbers to the thread of a main context, through sources that it attaches. g_source_attach and
// the context use the context's lock.

static GMainLoop *loop;
static int sum;

static gboolean use(gpointer data) {
    int *number = data;
    sum += *number;
    if (*number == 1000) g_main_loop_quit(loop);
    *number = 0;
    return G_SOURCE_REMOVE;
}

static gpointer run(gpointer unused) {
    (void)unused;
    g_main_loop_run(loop);
    return NULL;
}

int main(void) {
    GMainContext *context = g_main_context_new();
    loop = g_main_loop_new(context, FALSE);
    GThread *thread = g_thread_new("loop", run, NULL);
    for (int i = 1; i <= 1000; i++) {
        int *number = malloc(sizeof *number);
        GSource *source = g_idle_source_new();
        *number = i;
        g_source_set_callback(source, use, number, free);
        g_source_attach(source, context);
        g_source_unref(source);
    }
    g_thread_join(thread);
    printf("%d\n", sum);
}
