#include "CBluejayMethods.h"
