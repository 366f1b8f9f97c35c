// Plays the Swift runtime of a program whose second image has no methods, and prints the text of the first one's.

#include "CBluejayMethods.h"

#include <stdio.h>
#include <string.h>

struct sections {
    uintptr_t version;
    const void *unused[3];
    struct {
        const char *start;
        size_t length;
    } ranges[13];
};

static const struct {
    int32_t distance, unused[4];
    char name[8];
} record = {20, {0}, "method"};

char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags) {
    (void)length, (void)buffer, (void)size, (void)flags;
    return strdup(name);
}

void swift_enumerateAllMetadataSections(bool (*add)(const void *, void *), void *context) {
    struct sections image = {.version = 5};
    image.ranges[12].start = (const char *)&record;
    image.ranges[12].length = 20;
    add(&image, context);
    image.ranges[12].start = NULL;
    image.ranges[12].length = 0;
    add(&image, context);
}

int main(void) {
    size_t count = bluejay_methods_load();
    printf("%zu ", count);
    for (size_t index = 0; bluejay_method_text_byte(0, index) >= 0; index++)
        putchar(bluejay_method_text_byte(0, index));
    putchar('\n');
    return 0;
}
