// What the annotations of a Kubernetes engine say of a container. Pure.
#pragma once

#include <string>

#include "oci-spec/spec_view.hpp"

namespace gantry::request {

enum class CriRole { None, Container, Sandbox };  // None: not made through the CRI

struct CriContainer {
    CriRole role = CriRole::None;
    std::string name_space;  // of the pod; empty where it cannot be relied on
};

[[nodiscard]] CriContainer read_cri(const oci::SpecView& spec);

}  // namespace gantry::request
