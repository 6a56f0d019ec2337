// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <sys/types.h>

#include <xapian.h>

namespace braid::test {

/// Xapian's server for one database, on a free port of this machine alone; it ends with the object.
class TcpServer {
  public:
    enum class Classes { kXapians, kBraidsToo };

    /// Throws std::runtime_error where it doesn't come up within ten seconds.
    TcpServer(const std::string& database, Classes classes);
    ~TcpServer();
    TcpServer(const TcpServer&) = delete;
    TcpServer& operator=(const TcpServer&) = delete;

    TcpServer(const std::string& database, Classes classes, unsigned port);

    Xapian::Database open() const;
    unsigned port() const { return port_; }

  private:
    unsigned port_ = 0;
    pid_t child_ = -1;
};

}  // namespace braid::test
