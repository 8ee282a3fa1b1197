/* What a process is allowed and where it lives, as lines "field: value". */
#pragma once

/* Into that file. Nothing of it is of the C library's newer symbols, so that it can
 * be in a library of the check's process as well as in a container's own program. */
void write_context(const char *path);
