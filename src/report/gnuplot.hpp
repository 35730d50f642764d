#pragma once

#include <chrono>
#include <string>

namespace zerolab {

/// What gnuplot writes to its standard output for a script. Started without a shell, without the
/// user's own settings; needs no file of its own. Throws Error when there is no gnuplot in PATH,
/// with what it complained about, or when it was stopped because it took longer than `limit`.
std::string gnuplot(const std::string& script,
                    std::chrono::milliseconds limit = std::chrono::minutes(1));

/// The <svg> element of what gnuplot's svg terminal wrote, to be put into a page beside others:
/// every id begins with `name`; title and description are those given, `more` is put behind them.
/// Throws Error when it is none, or cut.
std::string embeddable(std::string svg, const std::string& name, const std::string& title,
                       const std::string& description, const std::string& more);

/// What gnuplot's png terminal wrote. Throws Error when it is no PNG file, or cut.
std::string whole_png(std::string png);

}  // namespace zerolab
