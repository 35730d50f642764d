#include "zerolab/report/options.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

using nlohmann::json;

json timeline_json(const Timeline::Step& step, const Outcome& outcome, const Job& job,
                   const Communicator& comm) {
  json file{{"zerolab_timeline", 1},
            {"stage", outcome.stage},
            {"overlap", job.overlap},
            {"ranks", comm.size()},
            {"rank", comm.rank()},
            {"step", step.index + 1},
            {"precision", name(job.precision)},
            {"reduce", name(job.reduce)},
            {"widths", job.shape.widths},
            {"parameters", job.shape.parameters()},
            {"simulated", comm.compute_seconds().has_value()},
            {"seconds", step.seconds},
            {"memory", json::array()},
            {"spans", json::array()},
            {"marks", json::array()}};
  for (std::size_t c = 0; c < categories; ++c) {
    file["held"][std::string(name(static_cast<Category>(c)))] = step.held[c];
  }
  for (const auto& [at, category, bytes] : step.changes) {
    file["memory"].push_back({{"at", at}, {"category", name(category)}, {"change", bytes}});
  }
  for (const auto& [what, unit, blocking, begin, end] : step.spans) {
    file["spans"].push_back({{"what", what},
                             {"unit", unit ? json(*unit) : json(nullptr)},
                             {"blocking", blocking},
                             {"begin", begin},
                             {"end", end}});
  }
  for (const auto& [at, after, unit, words] : step.marks) {
    file["marks"].push_back({{"at", at}, {"after", after}, {"unit", unit}, {"words", words}});
  }
  return file;
}

}  // namespace zerolab
