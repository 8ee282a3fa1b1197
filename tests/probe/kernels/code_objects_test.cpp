// What a build embeds for AMD's GPUs: whole ELF files that the runtimes take, with
// every kernel in them.
#include <elf.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "catch.hpp"
#include "probe/kernels/embedded.hpp"

using namespace gantry::probe;

namespace {

// AMDGPU backend of LLVM, "ELF Code Object".
constexpr unsigned kMachineAmdgpu = 224, kAbiHsa = 64, kAbiVersion4 = 2, kAbiVersion6 = 4;
constexpr unsigned kDescriptorSize = 64, kKernargSizeAt = 8, kGroupSegmentAt = 0,
                   kPrivateSegmentAt = 4;

template <typename T>
T read(const unsigned char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

struct Descriptor {
    std::uint32_t kernarg, group_segment, private_segment;
};

// Those that the loader finds: NAME.kd in .symtab.
std::map<std::string, Descriptor> kernels_of(const CodeObject& object) {
    const auto header = read<Elf64_Ehdr>(object.data);
    std::map<std::string, Descriptor> found;
    const auto section = [&](unsigned i) {
        return read<Elf64_Shdr>(object.data + header.e_shoff + i * sizeof(Elf64_Shdr));
    };
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr table = section(i);
        if (table.sh_type != SHT_SYMTAB) continue;
        const Elf64_Shdr names = section(table.sh_link);
        for (std::size_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
            const auto symbol = read<Elf64_Sym>(object.data + table.sh_offset + at);
            const std::string name =
                reinterpret_cast<const char*>(object.data + names.sh_offset + symbol.st_name);
            if (!name.ends_with(".kd")) continue;
            REQUIRE(symbol.st_size == kDescriptorSize);
            const Elf64_Shdr home = section(symbol.st_shndx);
            const unsigned char* bytes =
                object.data + home.sh_offset + (symbol.st_value - home.sh_addr);
            found[name] = {read<std::uint32_t>(bytes + kKernargSizeAt),
                           read<std::uint32_t>(bytes + kGroupSegmentAt),
                           read<std::uint32_t>(bytes + kPrivateSegmentAt)};
        }
    }
    return found;
}

}  // namespace

TEST_CASE("each code object is one that the runtimes take, with every kernel") {
    REQUIRE(code_object_count() == 37);
    std::set<std::string> names;
    bool generic_before = false;
    for (unsigned i = 0; i < code_object_count(); ++i) {
        const CodeObject& object = code_objects()[i];
        INFO(object.isa);
        CHECK(names.insert(object.isa).second);
        CHECK(reinterpret_cast<std::uintptr_t>(object.data) % 16 == 0);
        const bool generic = std::string_view(object.isa).ends_with("-generic");
        CHECK(generic_before <= generic);  // named ones first
        generic_before = generic;

        const auto header = read<Elf64_Ehdr>(object.data);
        REQUIRE(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);
        CHECK(header.e_machine == kMachineAmdgpu);
        CHECK(header.e_ident[EI_OSABI] == kAbiHsa);
        CHECK(header.e_ident[EI_ABIVERSION] == (generic ? kAbiVersion6 : kAbiVersion4));
        CHECK(header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr) == object.size);

        const auto kernels = kernels_of(object);
        CHECK(kernels.size() == 5);
        // Explicit arguments and nothing else: a launch needs to know no hidden ones.
        const std::pair<const char*, std::uint32_t> arguments[] = {{"gantry_fill.kd", 16},
                                                                   {"gantry_poison.kd", 12},
                                                                   {"gantry_sgemm.kd", 28},
                                                                   {"gantry_rowdot.kd", 28},
                                                                   {"gantry_evidence.kd", 12}};
        for (const auto& [name, size] : arguments) {
            INFO(name);
            REQUIRE(kernels.contains(name));
            CHECK(kernels.at(name).kernarg == size);
            CHECK(kernels.at(name).private_segment == 0);  // nothing spilt
        }
        CHECK(kernels.at("gantry_sgemm.kd").group_segment == 16384);
    }
    for (const char* isa : {"gfx900", "gfx906", "gfx90a", "gfx942", "gfx950", "gfx1030",
                            "gfx1100", "gfx1201", "gfx11-generic", "gfx9-4-generic"})
        CHECK(names.contains(isa));
}

TEST_CASE("the PTX is text for old drivers, with every kernel") {
    const std::string_view ptx(gantry_ptx);
    CHECK(ptx.size() == gantry_ptx_size);
    CHECK(ptx.find("\n.version 6.0\n.target sm_50\n.address_size 64\n") != ptx.npos);
    for (const char* name : {"fill", "poison", "sgemm", "rowdot", "evidence"})
        CHECK(ptx.find(std::string("\n.visible .entry gantry_") + name + "(") != ptx.npos);
    CHECK(ptx.find(".local") == ptx.npos);  // nothing spilt
}
