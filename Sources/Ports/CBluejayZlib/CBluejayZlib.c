#include "CBluejayZlib.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

// Negative values select raw streams, without zlib's header and checksum.
#define WINDOW_BITS (-15)

size_t bluejay_deflate_bound(size_t count) {
    // compressBound assumes the standard memory level; stored blocks of RFC 1951 add a few bytes.
    return compressBound(count) + 16;
}

bluejay_zlib_result bluejay_deflate(
    const uint8_t *input, size_t count, uint8_t *output, size_t room, size_t *made
) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (count > UINT_MAX || room > UINT_MAX) return BLUEJAY_ZLIB_NO_ROOM;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, 8, Z_DEFAULT_STRATEGY)
        != Z_OK) {
        return BLUEJAY_ZLIB_NO_MEMORY;
    }
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)room;
    int result = deflate(&stream, Z_FINISH);
    *made = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? BLUEJAY_ZLIB_DONE : BLUEJAY_ZLIB_NO_ROOM;
}

bluejay_zlib_result bluejay_inflate(
    const uint8_t *input, size_t count, uint8_t *output, size_t room, size_t *made
) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (count > UINT_MAX || room > UINT_MAX) return BLUEJAY_ZLIB_NO_ROOM;
    if (inflateInit2(&stream, WINDOW_BITS) != Z_OK) return BLUEJAY_ZLIB_NO_MEMORY;
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)room;
    int result = inflate(&stream, Z_FINISH);
    *made = stream.total_out;
    uInt left = stream.avail_in;
    uInt space = stream.avail_out;
    inflateEnd(&stream);
    if (result == Z_STREAM_END) return left == 0 ? BLUEJAY_ZLIB_DONE : BLUEJAY_ZLIB_MALFORMED;
    if (result == Z_MEM_ERROR) return BLUEJAY_ZLIB_NO_MEMORY;
    return result == Z_BUF_ERROR && space == 0 ? BLUEJAY_ZLIB_NO_ROOM : BLUEJAY_ZLIB_MALFORMED;
}

uint32_t bluejay_crc32(uint32_t checksum, const uint8_t *bytes, size_t count) {
    // For a null pointer, zlib ignores `checksum` and returns the checksum of no bytes.
    return count == 0 ? checksum : (uint32_t)crc32_z(checksum, bytes, count);
}
