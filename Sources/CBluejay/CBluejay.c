// SwiftPM builds a C target from at least one source file; everything here is in the header.
#include "CBluejay.h"
