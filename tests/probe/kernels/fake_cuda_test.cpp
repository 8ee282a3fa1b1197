// The fake driver library does what it is for: computes right, and wrong on order.
#include <chrono>
#include <thread>

#include "catch.hpp"
#include "probe/kernels/fake_driver.hpp"

using namespace gantry::probe::test;

TEST_CASE("the fake driver computes the product from the PTX that it is given") {
    const Orders orders("count=1");
    const FakeDriver driver;
    FakeGpu gpu(driver, 0, 256);
    CHECK(gpu.check() == 0);
    CHECK(gpu.failed == "");
    CHECK(gpu.gflops() == Approx(2000).epsilon(0.01));
}

TEST_CASE("the fake driver claims the speed that it is told to") {
    const FakeDriver driver;
    for (const auto& [told, expected] : {std::pair{"50", 50.0}, {"0x3e8", 1000.0}}) {
        const Orders orders(std::string("count=1,gflops=") + told);
        FakeGpu gpu(driver, 0, 256);
        CHECK(gpu.check() == 0);
        CHECK(gpu.gflops() == Approx(expected).epsilon(0.01));
    }
    const Orders orders("count=1,slow=100");
    FakeGpu gpu(driver, 0, 128);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(gpu.check() == 0);
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(100));
    CHECK(gpu.gflops() < 0.05);
}

TEST_CASE("the fake driver gets a product wrong in each way that it is told to") {
    struct Row {
        const char* kind;
        int rows;
    };
    const Row row = GENERATE(Row{"bit", 1}, Row{"more", 1}, Row{"nan", 1}, Row{"row", 1},
                             Row{"skipped", 128});
    const FakeDriver driver;
    const Orders orders(std::string("count=1,product=") + row.kind);
    FakeGpu gpu(driver, 0, 128);
    CHECK(gpu.check() == row.rows);
}

TEST_CASE("the fake driver fails at each call with the code that it is told") {
    const char* const calls[] = {
        "cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
        "cuDeviceGetAttribute", "cuDeviceGetPCIBusId", "cuDeviceGetUuid_v2",
        "cuDevicePrimaryCtxSetFlags_v2", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
        "cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemAlloc_v2", "cuMemcpyDtoH_v2",
        "cuMemGetInfo_v2", "cuLaunchKernel", "cuEventCreate", "cuEventRecord", "cuEventQuery",
        "cuEventSynchronize", "cuEventElapsedTime", "cuCtxSynchronize"};
    const FakeDriver driver;
    for (const std::string call : calls) {
        INFO(call);
        const std::string plain = call.ends_with("_v2") ? call.substr(0, call.size() - 3) : call;
        const Orders orders("count=1," + plain + "=719");
        FakeGpu gpu(driver, 0, 128);
        CHECK(gpu.check() == -1);
        CHECK(gpu.failed == call);
        CHECK(gpu.code == 719);
    }
    const char* const last[] = {"cuEventDestroy_v2", "cuMemFree_v2", "cuModuleUnload",
                                "cuDevicePrimaryCtxRelease_v2", "cuGetErrorName",
                                "cuGetErrorString"};
    for (const char* call : last) CHECK(driver.has(call));
}

TEST_CASE("the fake driver's devices work at the same time") {
    const Orders orders("count=3,pci=0000:1b:00.0;0000:43:00.0,name=Model T");
    const FakeDriver driver;
    int bad[3] = {-1, -1, -1};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&, i] { bad[i] = FakeGpu(driver, i, 256).check(); });
    }
    for (const int rows : bad) CHECK(rows == 0);
    char text[32] = "";
    CHECK(driver.call("cuDeviceGetPCIBusId", +text, 32, 1) == 0);
    CHECK(std::string(text) == "0000:43:00.0");
    CHECK(driver.call("cuDeviceGetPCIBusId", +text, 32, 2) == 0);
    CHECK(std::string(text) == "0000:03:00.0");
    CHECK(driver.call("cuDeviceGetName", +text, 32, 2) == 0);
    CHECK(std::string(text) == "Model T");
    CHECK(driver.call("cuDeviceGetName", +text, 32, 3) == 101);
}

TEST_CASE("the fake driver has as much memory as it is told") {
    const FakeDriver driver;
    const Orders orders("count=1,memory=1024,free=1");
    FakeGpu gpu(driver, 0, 256);
    CHECK(gpu.failed == "");  // 3 * 256 KiB and 4 KiB
    std::size_t free = 0, total = 0;
    CHECK(driver.call("cuMemGetInfo_v2", &free, &total) == 0);
    CHECK(total == 1024u << 20);
    CHECK(free == (1u << 20) - 3 * (256u << 10) - 4096);
    unsigned long long pointer = 0;
    CHECK(driver.call("cuMemAlloc_v2", &pointer, free + 1) == 2);
}

TEST_CASE("the fake driver refuses what the real one refuses") {
    const Orders orders("count=1");
    const FakeDriver driver;
    FakeGpu gpu(driver, 0, 128);
    void* module = nullptr;
    void* function = nullptr;
    char log[128] = "";
    int options[] = {5, 6};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const auto load = [&](const char* text) {
        return driver.call("cuModuleLoadDataEx", &module, static_cast<const void*>(text), 2u,
                           +options, +values);
    };
    CHECK(load("no PTX") == 200);
    CHECK(load(".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry f()\n"
               "{\n vote.all %p1;\n ret;\n}\n") == 218);
    CHECK(std::string(log) == "line 6, at 'vote.all': an instruction that is not known");

    // A store to no memory of the device: found by the next call, and by all after it.
    REQUIRE(load(".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry f()\n{\n"
                 ".reg .b64 %rd<2>;\n mov.b64 %rd1, 64;\n st.global.b32 [%rd1], 1;\n ret;\n}\n") ==
            0);
    REQUIRE(driver.call("cuModuleGetFunction", &function, module, "f") == 0);
    void* none[] = {nullptr};
    CHECK(driver.call("cuLaunchKernel", function, 1u, 1u, 1u, 32u, 1u, 1u, 0u,
                      static_cast<void*>(nullptr), +none, static_cast<void**>(nullptr)) == 0);
    CHECK(driver.call("cuCtxSynchronize") == 700);
    CHECK(driver.call("cuModuleUnload", module) == 700);
}
