// Starts programs by vfork(2). fork(2), which GLib uses, copies the page tables: 20 ms for a process of
// 400 MB, with copies of its sockets meanwhile.

#ifdef __linux__

#define _GNU_SOURCE
#include "CBluejay.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct launch {
    char **arguments;
    char **environment;
    int own_session;
    // The child's ends of the pipes, or -1.
    int input;
    int output;
    // Receives the errno of the child's failure; closed by the start of the program.
    int report;
};

static void default_action(int signal) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
}

static void mark_close_on_exec(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    if (flags != -1) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

// Runs in the child, which may share the memory of this process: it changes its state in the kernel only. Under
// ThreadSanitizer, which replaces `vfork` by `fork`, it has a copy.
static _Noreturn void run_program(struct launch *launch) {
    sigset_t none;
    int failure;
    // A handler of this process must not run in the child; ignored signals stay ignored, except SIGPIPE.
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction action;
        if (sigaction(signal, NULL, &action)) continue;
        if (signal == SIGPIPE || (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL))
            default_action(signal);
    }
    if (launch->own_session) setsid();
    // The child ends with the thread that started it, however that thread ends.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (launch->input != -1) dup2(launch->input, STDIN_FILENO);
    if (launch->output != -1) dup2(launch->output, STDOUT_FILENO);
    // CLOSE_RANGE_CLOEXEC, from Linux 5.11 on.
    if (syscall(SYS_close_range, 3u, ~0u, 4u) != 0) {
        long limit = sysconf(_SC_OPEN_MAX);
        if (limit < 0 || limit > 65536) limit = 65536;
        for (int descriptor = 3; descriptor < limit; descriptor++) mark_close_on_exec(descriptor);
    }
    // Threads of libdispatch block nearly every signal, so SIGTERM would not end the child.
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvpe(launch->arguments[0], launch->arguments, launch->environment);
    failure = errno;
    if (write(launch->report, &failure, sizeof failure) == -1) _exit(126);
    _exit(127);
}

static pid_t start_program(struct launch *launch) {
    sigset_t all, former;
    pid_t process;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    process = vfork();
    if (process == 0) run_program(launch);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return process;
}

// Makes a pipe above the standard descriptors, which may be closed in this process.
static int open_pipe(int ends[2]) {
    int made[2];
    if (pipe2(made, O_CLOEXEC)) return -1;
    for (int end = 0; end < 2; end++) {
        ends[end] = made[end] > STDERR_FILENO ? made[end] : fcntl(made[end], F_DUPFD_CLOEXEC, 3);
        if (ends[end] != made[end]) close(made[end]);
    }
    return ends[0] == -1 || ends[1] == -1 ? -1 : 0;
}

static void close_pipe(int ends[2]) {
    for (int end = 0; end < 2; end++)
        if (ends[end] != -1) close(ends[end]);
}

// Starts the program and returns 0 when it runs, or an errno.
static int launch_program(struct launch *launch, int *process) {
    int report[2] = {-1, -1};
    int failure = 0;
    ssize_t length;
    if (open_pipe(report)) {
        failure = errno;
        close_pipe(report);
        return failure;
    }
    launch->report = report[1];
    *process = start_program(launch);
    if (*process == -1) failure = errno;
    close(report[1]);
    do length = read(report[0], &failure, sizeof failure);
    while (length == -1 && errno == EINTR);
    close(report[0]);
    if (failure && *process > 0)
        while (waitpid(*process, NULL, 0) == -1 && errno == EINTR) {}
    return failure;
}

char *bluejay_spawn(
    char **arguments, char **environment, int own_session, int *process, int *input, int *output) {
    struct launch launch = {arguments, environment, own_session, -1, -1, -1};
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    int failure;
    char *reason = NULL;
    if ((input && open_pipe(in)) || (output && open_pipe(out))) {
        failure = errno;
    } else {
        launch.input = in[0];
        launch.output = out[1];
        failure = launch_program(&launch, process);
    }
    if (failure) {
        close_pipe(in);
        close_pipe(out);
        if (asprintf(&reason, "%s could not be started: %s", arguments[0], strerror(failure)) < 0)
            reason = strdup("the program could not be started");
        return reason;
    }
    if (input) {
        close(in[0]);
        *input = in[1];
    }
    if (output) {
        close(out[1]);
        *output = out[0];
    }
    return NULL;
}

#endif
