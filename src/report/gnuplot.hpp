#pragma once

#include <string>

namespace zerolab {

/// What gnuplot writes to its standard output for a script. Started without a shell, without the
/// user's own settings; needs no file of its own. Throws Error when there is no gnuplot in PATH, or
/// with what it complained about.
std::string gnuplot(const std::string& script);

/// The <svg> element of what gnuplot's svg terminal wrote, to be put into a page beside others:
/// every id begins with `name`; title and description are those given, `more` is put behind them.
std::string embeddable(std::string svg, const std::string& name, const std::string& title,
                       const std::string& description, const std::string& more);

}  // namespace zerolab
