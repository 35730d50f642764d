#pragma once

#include <cstdio>
#include <string>

namespace zerolab {

/// One updating line, on a terminal only, gone at the end: on stdout if that is one, so that it
/// stays in order with the tables, else on stderr.
class StatusLine {
 public:
  explicit StatusLine(bool wanted);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool watched() const { return out_ != nullptr; }
  std::size_t columns() const;  ///< of room
  void show(const std::string& text);

 private:
  std::FILE* out_;  ///< none: silent
};

/// True when this process reads what someone types at a terminal, also through mpirun (rank 0).
bool someone_types();

}  // namespace zerolab
