// Code that has to run in a process of its own, because it changes what the
// process may do: its user, its limits, its system calls.
#pragma once

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace gantry::test {

// What `work` returns in a forked child; "died of N" where it did not return.
inline std::string in_child(const std::function<std::string()>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) {
        // Out of the way: the low numbers are for `work` to use.
        const int result = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 500);
        ::close(ends[0]);
        ::close(ends[1]);
        std::string text;
        try {
            text = work();
        } catch (const std::exception& error) {
            text = std::string("exception: ") + error.what();
        }
        (void)!::write(result, text.data(), text.size());
        ::_exit(0);  // no destructors and no leak check of a copied process
    }
    ::close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? "died of " + std::to_string(WTERMSIG(status)) : text;
}

// From here on openat2 does not exist for this process, as before Linux 5.6.
inline void forbid_openat2() {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof *program, program};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        throw std::runtime_error("no seccomp filter");
}

inline std::string without_openat2(const std::function<std::string()>& work) {
    return in_child([&] {
        forbid_openat2();
        return work();
    });
}

// A user to whom permission bits apply; root is above them.
inline std::string as_nobody(const std::function<std::string()>& work) {
    return in_child([&]() -> std::string {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
            return "cannot become nobody";
        return work();
    });
}

}  // namespace gantry::test
