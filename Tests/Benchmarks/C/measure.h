// measure.h: the steps of every measured program: it prints `ready`, waits for a line, runs its row, and
// prints one line of JSON with the cost.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static struct {
    double started, started_cpu, wall, cpu;
    double *latencies;
    long latency_count;
    int is_counted; // Under callgrind; latencies are not taken, as their instructions would count.
} measure;

static inline double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static inline double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static inline long kilobytes(const char *key) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long value = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key))) value = atol(line + strlen(key) + 1);
    if (file) fclose(file);
    return value;
}

static inline void measure_begin(void) {
    measure.started_cpu = processor_seconds();
    measure.started = seconds();
}

// Prints `ready`, waits for a line, and begins the measurement.
static inline void measure_wait_and_begin(long count) {
    measure.is_counted = getenv("BENCHMARK_IS_COUNTED") != NULL;
    measure.latencies = calloc(count + 1, sizeof *measure.latencies);
    memset(measure.latencies, 1, (count + 1) * sizeof *measure.latencies);
    puts("ready");
    fflush(stdout);
    getchar();
    measure_begin();
}

static inline double measure_start(void) { return measure.is_counted ? 0 : seconds(); }

static inline void measure_latency(double start) {
    if (!measure.is_counted) measure.latencies[measure.latency_count++] = seconds() - start;
}

static inline void measure_end(void) {
    measure.wall = seconds() - measure.started;
    measure.cpu = processor_seconds() - measure.started_cpu;
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Prints the total in seconds, one operation in microseconds, and memory in kilobytes.
static inline void measure_report(long count, long lost) {
    if (measure.is_counted) return;
    long n = measure.latency_count;
    double *sorted = measure.latencies;
    if (n) qsort(sorted, n, sizeof *sorted, compare_doubles);
    printf("{\"count\":%ld,\"wall\":%.9f,\"cpu\":%.6f,\"lost\":%ld", count, measure.wall,
           measure.cpu, lost);
    if (n)
        printf(",\"minimum\":%.2f,\"median\":%.2f,\"p99\":%.2f", sorted[0] * 1e6,
               sorted[n / 2] * 1e6, sorted[n * 99 / 100] * 1e6);
    printf(",\"resident\":%ld,\"peak\":%ld}\n", kilobytes("VmRSS:"), kilobytes("VmHWM:"));
    fflush(stdout);
}
