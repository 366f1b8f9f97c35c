#ifndef CBLUEJAY_DBUS_TYPES_H
#define CBLUEJAY_DBUS_TYPES_H

// The libdbus-1 types that Swift uses, as in its headers; CBluejay.c compares them.

#include <stdint.h>

typedef uint32_t dbus_bool_t;
typedef int16_t dbus_int16_t;
typedef uint16_t dbus_uint16_t;
typedef int32_t dbus_int32_t;
typedef uint32_t dbus_uint32_t;
#if __SIZEOF_LONG__ == 8
typedef long dbus_int64_t;
typedef unsigned long dbus_uint64_t;
#else
typedef long long dbus_int64_t;
typedef unsigned long long dbus_uint64_t;
#endif

typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef struct DBusWatch DBusWatch;
typedef struct DBusTimeout DBusTimeout;

typedef struct DBusError DBusError;
struct DBusError {
    const char *name;
    const char *message;
    unsigned int dummy1 : 1;
    unsigned int dummy2 : 1;
    unsigned int dummy3 : 1;
    unsigned int dummy4 : 1;
    unsigned int dummy5 : 1;
    void *padding1;
};

typedef struct DBusMessageIter DBusMessageIter;
struct DBusMessageIter {
    void *dummy1;
    void *dummy2;
    dbus_uint32_t dummy3;
    int dummy4;
    int dummy5;
    int dummy6;
    int dummy7;
    int dummy8;
    int dummy9;
    int dummy10;
    int dummy11;
    int pad1;
    void *pad2;
    void *pad3;
};

typedef struct {
    dbus_uint32_t first32;
    dbus_uint32_t second32;
} DBus8ByteStruct;

typedef union {
    unsigned char bytes[8];
    dbus_int16_t i16;
    dbus_uint16_t u16;
    dbus_int32_t i32;
    dbus_uint32_t u32;
    dbus_bool_t bool_val;
    dbus_int64_t i64;
    dbus_uint64_t u64;
    DBus8ByteStruct eight;
    double dbl;
    unsigned char byt;
    char *str;
    int fd;
} DBusBasicValue;

typedef enum {
    DBUS_WATCH_READABLE = 1 << 0,
    DBUS_WATCH_WRITABLE = 1 << 1,
    DBUS_WATCH_ERROR = 1 << 2,
    DBUS_WATCH_HANGUP = 1 << 3
} DBusWatchFlags;

typedef enum {
    DBUS_DISPATCH_DATA_REMAINS,
    DBUS_DISPATCH_COMPLETE,
    DBUS_DISPATCH_NEED_MEMORY
} DBusDispatchStatus;

typedef enum {
    DBUS_HANDLER_RESULT_HANDLED,
    DBUS_HANDLER_RESULT_NOT_YET_HANDLED,
    DBUS_HANDLER_RESULT_NEED_MEMORY
} DBusHandlerResult;

// libdbus defines these as macros: the compiler warns if a number differs.
#define DBUS_MESSAGE_TYPE_METHOD_CALL 1
#define DBUS_MESSAGE_TYPE_METHOD_RETURN 2
#define DBUS_MESSAGE_TYPE_ERROR 3
#define DBUS_MESSAGE_TYPE_SIGNAL 4

// libdbus defines its type codes as `((int) 's')`, which Swift cannot import.
enum bluejay_type_code {
    BLUEJAY_TYPE_INVALID = '\0',
    BLUEJAY_TYPE_BYTE = 'y',
    BLUEJAY_TYPE_BOOLEAN = 'b',
    BLUEJAY_TYPE_INT16 = 'n',
    BLUEJAY_TYPE_UINT16 = 'q',
    BLUEJAY_TYPE_INT32 = 'i',
    BLUEJAY_TYPE_UINT32 = 'u',
    BLUEJAY_TYPE_INT64 = 'x',
    BLUEJAY_TYPE_UINT64 = 't',
    BLUEJAY_TYPE_DOUBLE = 'd',
    BLUEJAY_TYPE_STRING = 's',
    BLUEJAY_TYPE_OBJECT_PATH = 'o',
    BLUEJAY_TYPE_SIGNATURE = 'g',
    BLUEJAY_TYPE_UNIX_FD = 'h',
    BLUEJAY_TYPE_ARRAY = 'a',
    BLUEJAY_TYPE_VARIANT = 'v',
    BLUEJAY_TYPE_STRUCT = 'r',
    BLUEJAY_TYPE_DICT_ENTRY = 'e'
};

#endif
