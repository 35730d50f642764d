#include "zerolab/report/job_json.hpp"

#include <cmath>
#include <set>

#include "zerolab/nn/blas.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/options.hpp"

#ifdef __clang__
#define ZEROLAB_COMPILER "clang " __clang_version__
#else
#define ZEROLAB_COMPILER "gcc " __VERSION__
#endif

namespace zerolab {

using nlohmann::json;

json job_json(const Job& job) {
  return {{"widths", job.shape.widths},
          {"precision", name(job.precision)},
          {"reduce", name(job.reduce)},
          {"optimizer", name(job.optimizer.kind)},
          {"lr", job.optimizer.learning_rate},
          {"momentum", job.optimizer.momentum},
          {"weight_decay", job.optimizer.weight_decay},
          {"clip_norm", std::isfinite(job.clip_norm) ? json(job.clip_norm) : json(nullptr)},
          {"loss_scale", job.loss_scale.fixed ? json(*job.loss_scale.fixed) : json("dynamic")},
          {"loss_scale_growth_interval", job.loss_scale.growth_interval},
          {"batch", job.batch},
          {"seed", job.seed}};
}

json run_json(const std::string& data, const Job& job, int stage, std::size_t ranks) {
  return {{"zerolab", ZEROLAB_VERSION},
          {"data", data},
          {"stage", stage},
          {"ranks", ranks},
          {"accumulate", job.accumulate},
          {"virtual_shards", job.virtual_shards},
          {"checkpoint_activations", job.activation_segments},
          {"overlap", job.overlap},
          {"mpi", mpi_library()},
          {"blas", blas_version()},
          {"kernel", kernel_of(job)},
          {"compiler", ZEROLAB_COMPILER}};
}

std::string data_checksum(const Dataset& data) {
  return fmt::format("{:08x}", data.checksum());
}

std::string shown(const json& object, const std::string& key) {
  return object.contains(key) ? object[key].dump() : "not given";
}

std::vector<std::string> differing_keys(const json& a, const json& b) {
  std::set<std::string> keys;
  for (const json* object : {&a, &b})
    for (const auto& [key, unused] : object->items()) keys.insert(key);
  std::erase_if(keys, [&](const std::string& key) { return shown(a, key) == shown(b, key); });
  return {keys.begin(), keys.end()};
}

}  // namespace zerolab
