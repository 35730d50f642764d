#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "zerolab/report/options.hpp"

// The documented keys of a summary and their types, and a small job to see them on.

namespace zerolab {

using nlohmann::json;
using Keys = std::set<std::string>;

inline Keys keys(const json& tree) {
  Keys found;
  for (const auto& [key, value] : tree.items()) found.insert(key);
  return found;
}

inline bool is_digest(const json& text) {
  const auto digits = text.is_string() ? text.get<std::string>() : "";
  return digits.size() == 16 && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Φ = 98 + 40 + 18, three steps, none of them skipped.
inline Options small(int stage = 3) {
  Options o;
  o.data = "synthetic:64,13,3";
  o.hidden = {7, 5};
  o.stage = stage;
  o.job.batch = 4;
  o.job.loss_scale.fixed = 1024;
  o.steps = 3;
  o.quiet = true;
  return o;
}

inline void expect_unsigned(const json& tree, const Keys& names) {
  EXPECT_EQ(keys(tree), names);
  for (const auto& [key, value] : tree.items()) EXPECT_TRUE(value.is_number_unsigned()) << key;
}

inline void expect_memory(json tree, bool measured) {
  if (measured) {
    EXPECT_TRUE(tree.at("peak_total").is_number_unsigned());
    EXPECT_TRUE(tree.at("rss_peak").is_number_unsigned() || tree.at("rss_peak").is_null());
    tree.erase("peak_total");
    tree.erase("rss_peak");
  }
  EXPECT_EQ(keys(tree), (Keys{"parameters", "gradients", "master", "momentum", "variance",
                              "accumulator", "activations", "buffers", "data"}));
  for (const json& line : tree) expect_unsigned(line, {"now", "peak"});
}

inline void expect_traffic(const json& tree, bool measured) {
  Keys names{"allreduce", "reduce_scatter", "allgather", "alltoall", "scalars"};
  if (measured) names.insert("other");
  EXPECT_EQ(keys(tree), names);
  for (const json& line : tree)
    expect_unsigned(line, {"calls", "elements", "payload_bytes", "ring_bytes"});
}

#ifdef ZEROLAB_SMPI
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
#endif

inline void expect_summary(const json& s, std::size_t ranks, std::size_t steps) {
  EXPECT_EQ(keys(s), (Keys{"ranks",         "stage",         "precision",
                           "reduce",        "seed",          "parameters",
                           "first_step",    "steps",         "stopped",
                           "skipped_steps", "loss",          "test_correct",
                           "test_samples",  "mpi",           "blas_kernel",
                           "digest",        "digest_agrees", "memory",
                           "traffic",       "seconds",       "samples_per_second"}));
  EXPECT_EQ(s.at("ranks"), ranks);
  EXPECT_EQ(s.at("precision"), "fp16");
  EXPECT_EQ(s.at("seed"), 1);
  EXPECT_EQ(s.at("parameters"), 14 * 7 + 8 * 5 + 6 * 3);
  EXPECT_EQ(s.at("first_step"), 0);
  EXPECT_TRUE(s.at("stopped").is_null());
  EXPECT_EQ(s.at("steps"), steps);
  EXPECT_EQ(s.at("skipped_steps"), 0);
  EXPECT_TRUE(steps == 0 ? s.at("loss").is_null() : s.at("loss").is_number_float());
  for (const char* key : {"test_correct", "test_samples", "ranks", "steps", "skipped_steps"})
    EXPECT_TRUE(s.at(key).is_number_unsigned()) << key;
  EXPECT_TRUE(s.at("mpi").is_string() && s.at("blas_kernel").is_string());
  EXPECT_EQ(keys(s.at("digest")), (Keys{"parameters", "master", "moments"}));
  for (const auto& [key, digest] : s.at("digest").items()) EXPECT_TRUE(is_digest(digest)) << key;
  EXPECT_EQ(s.at("digest_agrees"), true);
  EXPECT_EQ(keys(s.at("seconds")), (Keys{"step_median", "compute_median", "communication_median"}));
  EXPECT_TRUE(s.at("seconds").at("step_median").is_number());
  for (const char* part : {"compute_median", "communication_median"}) {
    EXPECT_EQ(s.at("seconds").at(part).is_number(), simulated) << part;
  }
  EXPECT_TRUE(s.at("samples_per_second").is_number());

  EXPECT_EQ(keys(s.at("memory")), (Keys{"per_rank", "formula"}));
  EXPECT_EQ(keys(s.at("traffic")), (Keys{"per_rank", "formula", "wire_bytes_per_rank"}));
  EXPECT_TRUE(s.at("traffic").at("wire_bytes_per_rank").is_null());
  for (const char* list : {"per_rank", "formula"}) {
    const bool measured = std::string(list) == "per_rank";
    EXPECT_TRUE(s.at("memory").at(list).is_array() && s.at("traffic").at(list).is_array());
    EXPECT_EQ(s.at("memory").at(list).size(), ranks);
    EXPECT_EQ(s.at("traffic").at(list).size(), ranks);
    for (const json& tree : s.at("memory").at(list)) expect_memory(tree, measured);
    for (const json& tree : s.at("traffic").at(list)) expect_traffic(tree, measured);
  }
}

}  // namespace zerolab
