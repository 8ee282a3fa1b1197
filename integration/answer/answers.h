// What gantry-answer can tell of the container it runs in; each writes one
// member of the answer.
#pragma once

// Every device below /dev, and for GPU-like ones whether open() succeeds.
void answer_nodes(void);
// Makes a node of that number below /dev and opens it: shows whether the
// device filter, and not only the absence of the node, keeps a GPU out.
void answer_mknod(const char *major_minor);
void answer_identity(void);  // uid, gid, groups
void answer_process(void);   // capabilities, seccomp, no_new_privs, cgroup, descriptors
void answer_mounts(void);
