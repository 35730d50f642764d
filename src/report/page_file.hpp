#pragma once

#include <filesystem>
#include <string>

namespace zerolab {

/// Throws Error when something else than a page of `report` is at the place for one.
void check_page_file(const std::filesystem::path& file);

/// Whole or not at all: written beside the file under a name of its own, then renamed.
void write_page_file(const std::filesystem::path& file, const std::string& text);

}  // namespace zerolab
