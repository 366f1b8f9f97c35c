#include "CBluejayMethods.h"

#include <stdlib.h>
#include <string.h>

// The linker defines these symbols in each image that has the section. They are weak for an image without it.
#define BOUND extern const char __attribute__((weak, visibility("hidden")))
BOUND __start_swift5_accessible_functions[];
BOUND __stop_swift5_accessible_functions[];

// libswiftCore. Swift Testing uses the second function, with the same arguments, to find tests. Distributed actors use
// the third one for each call; it neither expands nor keeps a name that it does not find.
char *swift_demangle(const char *, size_t, char *, size_t *, uint32_t);
void __attribute__((weak)) swift_enumerateAllMetadataSections(bool (*)(const void *, void *), void *);
const void *__attribute__((weak)) swift_findAccessibleFunction(const char *, size_t);

struct sections {
    uintptr_t version;
    const void *unused[3];
    struct {
        const char *start;
        size_t length;
    } ranges[13];
};
enum { KNOWN_VERSION = 5, ACCESSIBLE_FUNCTIONS = 12, RECORD_SIZE = 20 };

struct method {
    const char *name, *text;
    size_t name_length, text_length;
};
static struct method *methods;
static size_t method_count;

static void add(const char *records, size_t length) {
    size_t count = length / RECORD_SIZE;
    // realloc may move the table also when it does not grow.
    if (count == 0) return;
    struct method *grown = realloc(methods, (method_count + count) * sizeof *methods);
    if (grown == NULL) return;
    methods = grown;
    for (; count > 0; count--, records += RECORD_SIZE) {
        // The record begins with the distance from itself to the mangled name.
        int32_t distance;
        memcpy(&distance, records, sizeof distance);
        const char *name = records + distance;
        const char *text = swift_demangle(name, strlen(name), NULL, NULL, 0);
        if (text == NULL) text = "";
        methods[method_count++] = (struct method){name, text, strlen(name), strlen(text)};
    }
}

static bool add_image(const void *image, void *own) {
    const struct sections *sections = image;
    if (sections->version != KNOWN_VERSION) return true;
    const char *start = sections->ranges[ACCESSIBLE_FUNCTIONS].start;
    if (start != own) add(start, sections->ranges[ACCESSIBLE_FUNCTIONS].length);
    return true;
}

size_t bluejay_methods_load(void) {
    const char *own = __start_swift5_accessible_functions;
    if (own != NULL) add(own, (size_t)(__stop_swift5_accessible_functions - own));
    if (swift_enumerateAllMetadataSections != NULL) {
        swift_enumerateAllMetadataSections(add_image, (void *)own);
    }
    return method_count;
}

int bluejay_method_name_byte(size_t method, size_t index) {
    if (method >= method_count || index >= methods[method].name_length) return -1;
    return (unsigned char)methods[method].name[index];
}

int bluejay_method_text_byte(size_t method, size_t index) {
    if (method >= method_count || index >= methods[method].text_length) return -1;
    return (unsigned char)methods[method].text[index];
}

static _Thread_local char wanted[4096];

bool bluejay_method_set_wanted_byte(size_t index, uint8_t byte) {
    if (index >= sizeof wanted) return false;
    wanted[index] = (char)byte;
    return true;
}

bool bluejay_method_has_wanted(size_t length) {
    if (length > sizeof wanted || swift_findAccessibleFunction == NULL) return false;
    return swift_findAccessibleFunction(wanted, length) != NULL;
}
