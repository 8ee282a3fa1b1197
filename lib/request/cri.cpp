#include "request/cri.hpp"

namespace gantry::request {
namespace {

struct Engine {
    const char* type;        // whether it is the pod's sandbox ("pause")
    const char* name_space;  // the pod's, written by the engine itself
};
// CRI-O's own io.kubernetes.cri-o.Namespace stands on sandboxes only; the label
// that the kubelet gives every container becomes an annotation, after those that
// a pod's author may set (cri-o internal/factory/container, SpecAddAnnotations).
constexpr Engine kContainerd = {"io.kubernetes.cri.container-type",
                                "io.kubernetes.cri.sandbox-namespace"};
constexpr Engine kCrio = {"io.kubernetes.cri-o.ContainerType", "io.kubernetes.pod.namespace"};

std::string annotation(const oci::SpecView& spec, const char* name) {
    const auto found = spec.annotations.find(name);
    return found == spec.annotations.end() ? std::string() : found->second;
}

}  // namespace

CriContainer read_cri(const oci::SpecView& spec) {
    const bool containerd = spec.annotations.contains(kContainerd.type);
    const bool crio = spec.annotations.contains(kCrio.type);
    if (!containerd && !crio) return {};
    const Engine& engine = containerd ? kContainerd : kCrio;
    CriContainer container;
    container.role =
        annotation(spec, engine.type) == "sandbox" ? CriRole::Sandbox : CriRole::Container;
    // Both engines can be told to copy a pod's annotations into the spec. One
    // that wears the other engine's names is lying about something.
    if (containerd != crio) container.name_space = annotation(spec, engine.name_space);
    return container;
}

}  // namespace gantry::request
