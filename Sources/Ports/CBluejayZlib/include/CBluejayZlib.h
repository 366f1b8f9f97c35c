#ifndef CBLUEJAYZLIB_H
#define CBLUEJAYZLIB_H

// The functions of zlib for Swift. zlib.h is not included here, so that it stays out of the module graph of a
// program with its own module for zlib.

#include <stddef.h>
#include <stdint.h>

typedef enum {
    BLUEJAY_ZLIB_DONE,
    // The result does not fit the output.
    BLUEJAY_ZLIB_NO_ROOM,
    // The input is not exactly one deflate stream.
    BLUEJAY_ZLIB_MALFORMED,
    BLUEJAY_ZLIB_NO_MEMORY,
} bluejay_zlib_result;

// Returns the maximum output length of `bluejay_deflate`.
size_t bluejay_deflate_bound(size_t count);

// Raw deflate streams (RFC 1951), in one call. `made` is the number of bytes written to `output`.
bluejay_zlib_result bluejay_deflate(
    const uint8_t *input, size_t count, uint8_t *output, size_t room, size_t *made
);
bluejay_zlib_result bluejay_inflate(
    const uint8_t *input, size_t count, uint8_t *output, size_t room, size_t *made
);

// Returns the CRC-32 of bytes that follow those of `checksum`; the checksum of no bytes is 0.
uint32_t bluejay_crc32(uint32_t checksum, const uint8_t *bytes, size_t count);

#endif
