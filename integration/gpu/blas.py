"""The vendor's own fp32 product of the same size, without tensor cores, for
comparison: cuBLAS by itself, else through PyTorch where that is installed."""

import json
import subprocess
import sys

SIZE = 4096
CHILD = r"""
import ctypes, glob, json, sys, time
N = %d
FLOP = 2.0 * N ** 3

def by_torch():
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    a = torch.rand(N, N, device="cuda"); b = torch.rand(N, N, device="cuda")
    for _ in range(3): torch.mm(a, b)
    torch.cuda.synchronize(); best = 1e9
    for _ in range(10):
        begin = time.monotonic(); torch.mm(a, b); torch.cuda.synchronize()
        best = min(best, time.monotonic() - begin)
    return {"by": "torch " + torch.__version__, "gflops": FLOP / best / 1e9}

def by_cublas():
    names = ["libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"]
    for pattern in ("/usr/local/cuda*/lib64/libcublas.so.1*",
                    "/usr/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.1*",
                    "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcublas.so.1*"):
        names += sorted(glob.glob(pattern))
    for name in names:
        try:
            blas = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        return None
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    def ok(status, what):
        if status: raise RuntimeError("%%s: %%d" %% (what, status))
    ok(cuda.cuInit(0), "cuInit"); ok(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    ok(cuda.cuCtxSetCurrent(context), "context")
    matrices = [ctypes.c_uint64() for _ in range(3)]
    for matrix in matrices:
        ok(cuda.cuMemAlloc_v2(ctypes.byref(matrix), ctypes.c_size_t(4 * N * N)), "cuMemAlloc")
        ok(cuda.cuMemsetD32_v2(matrix, 0x3f800000, ctypes.c_size_t(N * N)), "cuMemsetD32")
    handle = ctypes.c_void_p()
    ok(blas.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    ok(blas.cublasSetMathMode(handle, 2), "cublasSetMathMode")  # CUBLAS_PEDANTIC_MATH: no TF32
    one, zero, best = ctypes.c_float(1), ctypes.c_float(0), 1e9
    a, b, c = (ctypes.c_void_p(matrix.value) for matrix in matrices)
    for turn in range(13):
        begin = time.monotonic()
        ok(blas.cublasSgemm_v2(handle, 0, 0, N, N, N, ctypes.byref(one), a, N, b, N,
                               ctypes.byref(zero), c, N), "cublasSgemm")
        ok(cuda.cuCtxSynchronize(), "cuCtxSynchronize")
        if turn > 2: best = min(best, time.monotonic() - begin)
    return {"by": name, "gflops": FLOP / best / 1e9}

problems = []
for way in (by_cublas, by_torch):
    try:
        answer = way()
        if answer: print(json.dumps(answer)); sys.exit(0)
        problems.append(way.__name__ + ": not found")
    except Exception as error:
        problems.append(way.__name__ + ": " + repr(error)[:200])
print(json.dumps({"skipped": problems}))
""" % SIZE


def measure(seconds):
    try:
        done = subprocess.run([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True,
                              timeout=max(seconds, 1), check=False)
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        return {"skipped": [str(error)[:200]]}
