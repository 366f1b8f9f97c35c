#ifndef CBLUEJAYMETHODS_H
#define CBLUEJAYMETHODS_H

#include <stddef.h>

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

#endif
