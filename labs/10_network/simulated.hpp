#pragma once

#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "check.hpp"
#include "expected.hpp"

// What SimGrid measured (labs/simulate_network.sh), against the student's prediction.

namespace expected {

/// Seconds that the model leaves out, at most: 16 bytes that SMPI adds to a message, and the
/// messages of two all-reduces of the step's 7 scalars, the step's own and the one before it, each
/// up and down a binomial tree, or a ring where there are no more ranks than scalars.
inline double left_out(const student::Job& job, double messages) {
  constexpr double envelope = 16, scalars = 56;
  const double levels = static_cast<double>(std::bit_width(job.ranks - 1));
  const double ring = job.ranks <= 7 ? 2 * static_cast<double>(job.ranks - 1) : 0;
  const double scalar = job.cluster.latency + (scalars + envelope) / job.cluster.bandwidth;
  return messages * envelope / job.cluster.bandwidth + 2 * (levels * (levels + 1) + ring) * scalar;
}

inline student::Job job_of(const nlohmann::json& it) {
  return {it.at("stage"),
          it.at("ranks"),
          it.at("batch"),
          it.at("widths"),
          {it.at("flops"), it.at("bandwidth"), it.at("latency")}};
}

/// One job; returns the predicted step.
inline double compare(lab::Check& check, const nlohmann::json& it) {
  const student::Job job = job_of(it);
  const student::Times got = student::predict(job);
  const double compute = it.at("compute_seconds"), communication = it.at("communication_seconds");
  std::vector<std::uint64_t> units;
  for (std::size_t l = 0; l + 1 < job.widths.size(); ++l)
    units.push_back((job.widths[l] + 1) * job.widths[l + 1]);
  const double most = left_out(job, expected::sent(job.stage, units, job.ranks).messages);
  const double exact = 1e-9 * it.at("step_seconds").get<double>(),
               more = communication - got.communication;
  const std::string what = fmt::format("{}, stage {}, {} ranks",
                                       it.at("platform").get<std::string>(), job.stage, job.ranks);
  check.expect(std::abs(compute - got.compute) <= exact,
               "{}: measured {:.6g} s of computation, predicted {:.6g} s", what, compute,
               got.compute);
  check.expect(more >= -exact && more <= most + exact,
               "{}: measured {:.6g} s of communication, predicted {:.6g} s; scalars and envelopes "
               "are at most {:.2g} s of that",
               what, communication, got.communication, most);
  return got.compute + got.communication;
}

inline void compare_with_measured(lab::Check& check) {
  const std::string file = lab::network_file();
  if (file.empty()) {
    check.not_run(
        "no network.json given: labs/simulate_network.sh network.json makes one (needs SimGrid: "
        "apt "
        "install libsimgrid-dev), --network network.json hands it over");
    return;
  }
  std::ifstream in(file);
  const auto network = nlohmann::json::parse(in);
  for (const char* list : {"networks", "limit", "exercise", "scaling"}) {
    std::vector<double> predicted, measured;
    for (const auto& it : network.at(list)) {
      predicted.push_back(compare(check, it));
      measured.push_back(it.at("step_seconds"));
    }
    const auto least = [](const std::vector<double>& steps) {
      return std::min_element(steps.begin(), steps.end()) - steps.begin();
    };
    if (std::string(list) != "scaling") continue;
    const auto ranks = [&](std::ptrdiff_t at) {
      return network.at(list)[static_cast<std::size_t>(at)].at("ranks").get<int>();
    };
    check.equal(ranks(least(measured)), ranks(least(predicted)),
                "sweet spot of the measured steps");
  }
}

/// Steps on paper, then the measured ones.
inline void predicted(lab::Check& check) {
  struct Row {
    student::Job job;
    double compute, communication;
    const char* hint;
  };
  const student::Cluster slow{1, 3, 0.5};
  for (const Row& row :
       {Row{{3, 2, 1, {2, 2}, slow},
            16 + 17 * 3,
            6 + 1.5,
            "one unit of 6 parameters, its input gradient is not needed"},
        {{3, 2, 1, {2, 2, 2}, slow}, 16 + 24 + 17 * 6, 12 + 3, "the second unit's is"},
        {{0, 2, 1, {2, 2, 2}, slow},
         16 + 24 + 17 * 12,
         8 + 2,
         "in stage 0 each rank updates all 12"},
        {{1, 2, 10, {2, 2, 2}, slow}, 160 + 240 + 17 * 6, 12 + 3, "ten samples"},
        {{2, 1, 1, {2, 2, 2}, slow}, 16 + 24 + 17 * 12, 0, "one rank"}}) {
    const student::Times got = student::predict(row.job);
    check.expect(close(got.compute, row.compute),
                 "predict(), stage {}, {} ranks, widths {}: expected {} flops, got {} ({})",
                 row.job.stage, row.job.ranks, row.job.widths, row.compute, got.compute, row.hint);
    check.expect(close(got.communication, row.communication),
                 "predict(), stage {}, {} ranks, widths {}: expected {} s of communication, got {}",
                 row.job.stage, row.job.ranks, row.job.widths, row.communication,
                 got.communication);
  }
  compare_with_measured(check);
}

}  // namespace expected
