#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json_field.hpp"
#include "zerolab/report/items.hpp"
#include "zerolab/report/results.hpp"

namespace zerolab {

/// The values that a source selects, so that what is printed as the origin of a number is what it
/// was read by. Throws Error naming file and key when one is missing or of another kind.
class Selection {
 public:
  Selection(Results& results, Source source);

  const Source& source() const { return source_; }
  const std::vector<JsonField>& fields() const { return fields_; }
  const JsonField& field() const;  ///< of a source that selects one value
  std::vector<std::uint64_t> wholes() const;
  std::uint64_t sum() const;  ///< throws Error above 2^60
  std::uint64_t whole() const { return field().whole(); }
  /// Every value is this one.
  bool all(std::uint64_t value) const;
  /// "8 614", or where they differ the least and the greatest: "8 610 to 8 614".
  std::string range() const;

 private:
  Source source_;
  std::string results_folder_;
  std::vector<JsonField> fields_;
};

/// "a{1,2}b" as a1b and a2b; without braces the text itself.
std::vector<std::string> alternatives(const std::string& text);

/// 1234567 in groups that no line break parts.
std::string thin(std::uint64_t number);
/// bytes / unit in six digits, for people.
std::string times(std::uint64_t bytes, std::uint64_t unit);
/// a / b in lowest terms: "3", "32/11 = 2.909".
std::string exact_ratio(std::uint64_t a, std::uint64_t b);

}  // namespace zerolab
