#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "zerolab/core/require.hpp"

namespace zerolab {

/// A place in a result file, known by its path: what is not there, or of another kind, is refused
/// naming file and key.
class JsonField {
 public:
  JsonField(std::string file, const nlohmann::json& value)
      : file_(std::move(file)), value_(&value) {}

  JsonField operator[](std::string_view key) const {
    const auto found = value_->is_object() ? value_->find(key) : value_->end();
    require(found != value_->end(), "{}: the key {} is missing", file_, below(key));
    return {file_, below(key), *found};
  }
  bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  bool is_null() const { return value_->is_null(); }
  std::vector<JsonField> list() const {
    require_kind(value_->is_array(), "a list");
    std::vector<JsonField> fields;
    for (const auto& one : *value_) {
      fields.push_back({file_, fmt::format("{}[{}]", path_, fields.size()), one});
    }
    return fields;
  }
  /// A whole number from 0.
  std::uint64_t whole() const {
    require_kind(value_->is_number_unsigned(), "a whole number from 0");
    return value_->get<std::uint64_t>();
  }
  std::int64_t signed_whole() const {
    require_kind(value_->is_number_integer(), "a whole number");
    return value_->get<std::int64_t>();
  }
  double number() const {
    require_kind(value_->is_number(), "a number");
    return value_->get<double>();
  }
  bool truth() const {
    require_kind(value_->is_boolean(), "true or false");
    return value_->get<bool>();
  }
  std::string text() const {
    require_kind(value_->is_string(), "a text");
    return value_->get<std::string>();
  }
  void require_kind(bool holds, std::string_view kind) const {
    require(holds, "{}: {} is not {}", file_, path_, kind);
  }

 private:
  JsonField(std::string file, std::string path, const nlohmann::json& value)
      : file_(std::move(file)), path_(std::move(path)), value_(&value) {}

  std::string below(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  std::string file_, path_;
  const nlohmann::json* value_;
};

}  // namespace zerolab
