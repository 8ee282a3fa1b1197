// Are two functions called in the same way, though their types have other names?
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gantry::probe {

// By the System V ABI a pointer, an integer or an enumeration of one size goes the
// same way, and so does a struct of the same size that is made of integers.
template <class Ours, class Theirs>
inline constexpr bool kSameValue =
    sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
    std::is_class_v<Ours> == std::is_class_v<Theirs> &&
    std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;

template <class Ours, class Theirs>
struct SameAbi : std::false_type {};

template <class OurResult, class... Ours, class TheirResult, class... Theirs>
struct SameAbi<OurResult (*)(Ours...), TheirResult (*)(Theirs...)> {
    static constexpr bool compare() {
        if constexpr (sizeof...(Ours) != sizeof...(Theirs)) return false;
        else return (kSameValue<Ours, Theirs> && ... && true);
    }
    static constexpr bool same_result() {
        if constexpr (std::is_void_v<OurResult> || std::is_void_v<TheirResult>)
            return std::is_void_v<OurResult> && std::is_void_v<TheirResult>;
        else return kSameValue<OurResult, TheirResult>;
    }
    static constexpr bool value = compare() && same_result();
};

}  // namespace gantry::probe
