#ifndef CBLUEJAYMETHODS_H
#define CBLUEJAYMETHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The distributed methods of the program and of its Swift libraries.
//
// The section `swift5_accessible_functions` of an image has one record for each method. Text is returned
// byte by byte, so that Swift receives no pointer.

// Reads the records of all images, and returns their number. Call it once, before the other functions.
size_t bluejay_methods_load(void);
// Returns a byte of the mangled name, or -1 past its end.
int bluejay_method_name_byte(size_t method, size_t index);
// Returns a byte of the demangled name, or -1 past its end.
int bluejay_method_text_byte(size_t method, size_t index);

// Sets a byte of the mangled name that this thread looks for; returns false if the name is too long.
bool bluejay_method_set_wanted_byte(size_t index, uint8_t byte);
// Returns whether the program has a function with this name, of `length` bytes, also in a library that was opened later.
bool bluejay_method_has_wanted(size_t length);

#endif
