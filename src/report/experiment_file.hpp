#pragma once

#include <functional>

#include "folder.hpp"

namespace zerolab {

/// What one experiment left in a folder.
struct ExperimentFile {
  Results& results;
  std::string file;

  bool there() const { return results.json(file) != nullptr; }
  Selection at(std::string path) const { return {results, {file, std::move(path)}}; }
  std::uint64_t whole(const std::string& path) const { return at(path).whole(); }
  double number(const std::string& path) const { return at(path).field().number(); }
  std::string text(const std::string& path) const { return at(path).field().text(); }
  std::uint64_t ranks() const;  ///< at least 1
  std::string where() const { return fmt::format("N = {}", ranks()); }
};

/// Of two runs' digests: the same, on all ranks, after one update or more.
bool ended_alike(const JsonField& one, const JsonField& other);

/// What an experiment says of an item; without its file, or with fewer ranks than the item takes,
/// what is missing.
Finding decided_by(const ExperimentFile& file, const std::string& what, std::uint64_t least_ranks,
                   const std::function<std::vector<Evidence>()>& evidence);

}  // namespace zerolab
