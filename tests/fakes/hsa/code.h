/* FAKE. */
#pragma once

#include <stdint.h>

const char *kernel_of(uint64_t object); /* NULL: no kernel */
