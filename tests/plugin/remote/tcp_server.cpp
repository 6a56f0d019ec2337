// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/remote/tcp_server.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "braid/tests/support/support.h"

namespace braid::test {
namespace {

constexpr char kHost[] = "127.0.0.1";

// One that was free a moment ago.
unsigned free_port() {
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    const bool done = bind(probe, general, size) == 0 && getsockname(probe, general, &size) == 0;
    close(probe);
    if (!done) throw std::runtime_error("no port is free");
    return ntohs(address.sin_port);
}

// `preload` may be null.
[[noreturn]] void serve(const std::string& port, const std::string& database, const char* preload) {
    setpgid(0, 0);  // When it is told to end, it tells all of its group.
    if (preload != nullptr) setenv("LD_PRELOAD", preload, 1);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl(BRAID_TCPSRV, BRAID_TCPSRV, "--quiet", "--interface", kHost, "--port", port.c_str(),
          database.c_str(), static_cast<char*>(nullptr));
    _exit(127);
}

}  // namespace

TcpServer::TcpServer(const std::string& database, Classes classes)
    : TcpServer(database, classes, free_port()) {}
TcpServer::TcpServer(const std::string& database, Classes classes, unsigned port) : port_(port) {
    const std::string preload = preload_name(BRAID_PRELOAD);
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("can't fork");
    if (child_ == 0) {
        const bool braids_too = classes == TcpServer::Classes::kBraidsToo;
        serve(std::to_string(port_), database, braids_too ? preload.c_str() : nullptr);
    }
    setpgid(child_, child_);
    for (int i = 0; i < 200; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        try {
            static_cast<void>(open());
            return;
        } catch (const Xapian::NetworkError&) {
        }
    }
    kill(-child_, SIGTERM);
    waitpid(child_, nullptr, 0);
    throw std::runtime_error("the server didn't come up");
}

TcpServer::~TcpServer() {
    kill(-child_, SIGTERM);
    waitpid(child_, nullptr, 0);
}

Xapian::Database TcpServer::open() const { return Xapian::Remote::open(kHost, port_); }

}  // namespace braid::test
