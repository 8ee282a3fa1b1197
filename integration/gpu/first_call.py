"""How long a process waits for its first use of a GPU: initialisation, context,
one allocation, by the driver API, in a process of its own."""

import json
import subprocess
import sys

CHILD = r"""
import ctypes, json, sys, time
def now(): return time.monotonic()
begin = now()
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    print(json.dumps({"skipped": str(error)})); sys.exit(0)
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
times = {}
for name, call in (("cuInit", lambda: cuda.cuInit(0)),
                   ("cuDeviceGet", lambda: cuda.cuDeviceGet(ctypes.byref(device), 0)),
                   ("cuDevicePrimaryCtxRetain",
                    lambda: cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)),
                   ("cuCtxSetCurrent", lambda: cuda.cuCtxSetCurrent(context)),
                   ("cuMemAlloc", lambda: cuda.cuMemAlloc_v2(ctypes.byref(memory),
                                                             ctypes.c_size_t(1 << 20)))):
    before = now()
    status = call()
    times[name] = round((now() - before) * 1000, 1)
    if status:
        times["failed"] = [name, status]
        break
times["allMs"] = round((now() - begin) * 1000, 1)
print(json.dumps(times))
"""


def measure():
    try:
        done = subprocess.run([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, timeout=60,
                              text=True, check=False)
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        return {"failed": str(error)[:200]}
