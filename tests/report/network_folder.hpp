#pragma once

#include <tuple>
#include <vector>

#include "results_folder.hpp"

namespace zerolab {

// A network.json in which everything is right, worked out here: rings of a unit are N−1 messages of
// latency + (shard + 16 bytes) / bandwidth, computing is flops over flops/s.

struct SimulatedJob {
  const char* platform;
  double bandwidth, latency, flops;
  std::size_t ranks;
  int stage;
  std::size_t batch;
  std::size_t width, units;  ///< units of (width + 1) × width, whole shards on each of the ranks
  bool overlap = false;

  json line() const {
    const auto n = static_cast<double>(ranks), w = static_cast<double>(width);
    const std::size_t elements = units * (width + 1) * width;
    const std::size_t rings = stage == 0 || stage == 2 ? 2 : 3;
    const double products = 2 * static_cast<double>((3 * units - 1) * batch) * w * w;
    const double t = (products + 17 * static_cast<double>(elements) / (stage == 0 ? 1 : n)) / flops;
    const double message = latency + (2 * w * (w + 1) / n + 16) / bandwidth;
    const double c = static_cast<double>(rings * units) * (n - 1) * message;
    // What nothing hides when computing is longer: the first gather of each pass and the last sum.
    const double exposed = c / static_cast<double>(units);
    const double step = overlap ? std::max(t, c) + exposed : t + c;
    const std::size_t full = stage == 0 ? 16 : stage == 1 ? 4 : stage == 2 ? 2 : 0;
    return {{"platform", platform},
            {"bandwidth", bandwidth},
            {"latency", latency},
            {"flops", flops},
            {"ranks", ranks},
            {"stage", stage},
            {"overlap", overlap},
            {"reduce", "mpi"},
            {"precision", "fp16"},
            {"widths", std::vector<std::size_t>(units + 1, width)},
            {"parameters", elements},
            {"batch", batch},
            {"steps", 1},
            {"step_seconds", step},
            {"compute_seconds", t},
            {"communication_seconds", step - t},
            {"state_bytes", (full * ranks + 16 - full) * elements},
            {"payload_bytes", elements},
            {"ring_bytes", 2 * rings * elements * (ranks - 1)}};
  }
};

inline json whole_network_json() {
  json file;
  for (const int stage : {1, 2, 3}) {
    for (const auto& [platform, bandwidth, latency] :
         {std::tuple{"nvlink-300g", 300e9, 1.9e-6}, std::tuple{"ethernet-10g", 1.25e9, 20e-6}}) {
      file["networks"].push_back(
          SimulatedJob{platform, bandwidth, latency, 1e12, 8, stage, 64, 1023, 2}.line());
    }
  }
  // 150 GB/s for 175 billion parameters are 448 512 bytes/s for these; 10 s for 256 samples.
  const double link = 448'512, latency = 1.9e-6;
  const double flops = (2.0 * 5 * 256 * 511 * 511 + 17.0 * 2 * 512 * 511 / 64) / 10;
  for (const std::size_t n : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    file["scaling"].push_back(
        SimulatedJob{"ethernet-10g", 1.25e9, 20e-6, 1e12, n, 3, 16384 / n, 255, 2}.line());
    file["limit"].push_back(SimulatedJob{"exercise", link, latency, flops, n, 3, 8, 511, 2}.line());
  }
  for (const auto& [stage, faster] : {std::pair{3, 1.0}, {0, 1.0}, {3, 2.0}, {3, 2.75625}}) {
    file["exercise"].push_back(
        SimulatedJob{"exercise", faster * link, latency, flops, 64, stage, 256, 511, 2}.line());
  }
  const double deep = 14 * 128 * 127 * 6 / 7.0;
  for (const auto& [batch, overlap] : {std::pair{256U, false}, {256U, true}, {64U, true}}) {
    file["overlap"].push_back(
        SimulatedJob{"deep", deep, latency, 33'882'177.6, 16, 3, batch, 127, 14, overlap}.line());
  }
  return file;
}

}  // namespace zerolab
