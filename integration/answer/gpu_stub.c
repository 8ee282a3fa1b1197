// A shared object without contents, put in the place of a driver library on a
// simulated host: enough for the dynamic loader to find, map and name.
int gantry_gpu_stub(void);
int gantry_gpu_stub(void) { return 0; }
