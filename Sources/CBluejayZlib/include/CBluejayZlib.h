#ifndef CBLUEJAYZLIB_H
#define CBLUEJAYZLIB_H

// What Swift sees of zlib. Its header is not included here, so that it does not reach the module graph of
// a program that has its own module of it.

#include <stddef.h>
#include <stdint.h>

typedef enum {
    BLUEJAY_ZLIB_DONE,
    // The result is longer than there is room for it.
    BLUEJAY_ZLIB_NO_ROOM,
    // The input is no deflate stream, or ends before it does, or goes on behind it.
    BLUEJAY_ZLIB_MALFORMED,
    BLUEJAY_ZLIB_NO_MEMORY,
} bluejay_zlib_result;

// How much room `bluejay_deflate` needs at most.
size_t bluejay_deflate_bound(size_t count);

// Raw deflate streams (RFC 1951), in one go. `made` is how many bytes of `output` were written.
bluejay_zlib_result bluejay_deflate(
    const uint8_t *input, size_t count, uint8_t *output, size_t room, size_t *made
);
bluejay_zlib_result bluejay_inflate(
    const uint8_t *input, size_t count, uint8_t *output, size_t room, size_t *made
);

#endif
