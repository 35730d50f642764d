#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace zerolab {

/// A fault that a user can understand and mend: bad input, bad option, missing file, wrong size.
/// The text is one sentence that names the file and line, the option or the two sizes.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fault that every rank meets at the same point, so that one message is enough and all can leave
/// together.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// Throws Error with the formatted text unless `holds`.
template <class... Arguments>
void require(bool holds, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!holds) throw Error(fmt::format(text, std::forward<Arguments>(arguments)...));
}

}  // namespace zerolab
