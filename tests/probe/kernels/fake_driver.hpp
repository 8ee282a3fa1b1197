#pragma once
// The fake libcuda.so.1 by its symbols, as the probe calls it.
#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gantry::probe::test {

// Orders for the fake (tests/fakes/orders.h), as long as this lives.
class Orders {
public:
    explicit Orders(const std::string& text);
    ~Orders();
    Orders(const Orders&) = delete;
};

class FakeDriver {
public:
    FakeDriver() : library_(::dlopen(GANTRY_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL)) {
        if (!library_) throw std::runtime_error(::dlerror());
    }
    ~FakeDriver() { ::dlclose(library_); }
    FakeDriver(const FakeDriver&) = delete;

    bool has(const char* symbol) const { return ::dlsym(library_, symbol) != nullptr; }

    template <typename... Arguments>
    int call(const char* symbol, Arguments... arguments) const {
        auto* function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, symbol));
        return function ? function(arguments...) : -1;
    }

private:
    void* library_;
};

// A device with the embedded PTX loaded and memory for a product, or the first
// call that failed.
class FakeGpu {
public:
    FakeGpu(const FakeDriver& driver, int ordinal, std::uint32_t size);
    ~FakeGpu();

    // Fill, poison, product, rowdot; the number of bad rows, -1 after an error.
    int check();
    double gflops() const { return gflops_; }

    std::string failed;
    int code = 0;

private:
    bool ok(const char* symbol, int result);
    bool launch(const char* kernel, unsigned grid_x, unsigned grid_y, void** arguments);
    bool product();

    const FakeDriver& driver_;
    int device_ = 0;
    std::uint32_t n_;
    void *context_ = nullptr, *module_ = nullptr, *events_[2] = {};
    unsigned long long a_ = 0, b_ = 0, c_ = 0, out_ = 0;
    double gflops_ = 0;
};

}  // namespace gantry::probe::test
