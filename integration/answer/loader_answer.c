// Says what the image's dynamic loader makes of a library name, as one JSON
// object on one line:   loader-answer libcuda.so.1
// Dynamic on purpose, and with nothing else linked in.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "json_out.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: loader-answer LIBRARY\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    json_begin(NULL, '{');
    json_boolean("ok", library != NULL);
    if (library) {
        const struct link_map *map = NULL;
        if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) json_string("path", map->l_name);
    } else {
        json_string("error", dlerror());
    }
    json_end('}');
    putchar('\n');
    return fflush(stdout) == 0 ? 0 : 1;
}
