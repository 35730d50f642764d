#include "checkpoint_states.hpp"

#include <fmt/ranges.h>

#include <array>
#include <cstring>

#include "json_field.hpp"
#include "option_values.hpp"
#include "zerolab/core/process.hpp"
#include "zerolab/partition/digest.hpp"
#include "zerolab/report/checkpoint_folder.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/first_difference.hpp"
#include "zerolab/report/job_json.hpp"
#include "zerolab/stages/state_digest.hpp"

namespace zerolab {

using nlohmann::json;

OpenCheckpoint open_checkpoint(const std::string& name) {
  std::vector<std::string> ignored;
  CheckpointReader file(newest_checkpoint(name, ignored));
  for (const std::string& one : ignored) complain(one + " was not completed and is ignored");
  SavedRun saved = saved_run(file);
  const JsonField job(file.path(), saved.job);
  NetworkShape shape;
  std::size_t elements = 0;
  for (const JsonField& width : job["widths"].list()) {
    const std::size_t in = shape.widths.empty() ? 0 : shape.widths.back() + 1, out = width.whole();
    job["widths"].require_kind(out > 0 && out <= file.head().elements, "a list of widths");
    shape.widths.push_back(out);
    if (in > 0) elements += std::min(in * out, file.head().elements + 1 - elements);
  }
  job["widths"].require_kind(elements == file.head().elements,
                             fmt::format("the shape of {} parameters", file.head().elements));
  const auto precision = precisions.find(job["precision"].text());
  job["precision"].require_kind(precision != precisions.end(), "a precision");
  return {std::move(file), std::move(saved), std::move(shape), precision->second};
}

std::string digests_of(const OpenCheckpoint& checkpoint) {
  std::uint64_t parameters = 0, master = 0, moments = 0;
  std::vector<std::byte> rounded;
  const std::size_t elements = checkpoint.file.head().elements;
  const auto fp32 = [](std::span<const float> values) {
    return ConstNumbers(NumberType::fp32, std::as_bytes(values).data(), values.size());
  };
  for (const SavedState state : checkpoint.file.head().states) {
    checkpoint.file.read(state, 0, elements, [&](std::span<const float> values, std::size_t first) {
      if (state != SavedState::master) {
        moments += digest(state == SavedState::momentum ? Digested::momentum : Digested::variance,
                          fp32(values), first);
        return;
      }
      master += digest(Digested::master, fp32(values), first);
      rounded.resize(values.size() * width(checkpoint.precision));
      const Numbers narrowed{checkpoint.precision, rounded.data(), values.size()};
      narrow(values, narrowed);
      parameters += digest(Digested::parameters, narrowed, first);
    });
  }
  return fmt::format("digest {} · master {} · moments {}", hex(parameters), hex(master),
                     hex(moments));
}

std::vector<std::string> damaged_blocks(const OpenCheckpoint& checkpoint) {
  std::vector<std::string> damaged;
  const CheckpointHead& head = checkpoint.file.head();
  for (const SavedState state : head.states) {
    for (std::size_t first = 0; first < head.elements; first += CheckpointHead::block) {
      try {
        checkpoint.file.read(state, first, std::min(CheckpointHead::block, head.elements - first),
                             [](std::span<const float>, std::size_t) {});
      } catch (const Error& error) {
        damaged.emplace_back(error.what());
      }
    }
  }
  return damaged;
}

namespace {

/// Elements in which a state differs: how many, and the first of them.
struct Differing {
  std::size_t elements = 0, first = 0;
  float a = 0, b = 0;
};

Differing compare(const OpenCheckpoint& a, const OpenCheckpoint& b, SavedState state) {
  Differing found;
  a.file.read(state, 0, a.file.head().elements, [&](std::span<const float> here, std::size_t at) {
    b.file.read(state, at, here.size(), [&](std::span<const float> there, std::size_t) {
      for (std::size_t i = 0; i < here.size(); ++i) {
        if (std::memcmp(&here[i], &there[i], sizeof(float)) == 0) continue;
        if (found.elements++ == 0) found = {1, at + i, here[i], there[i]};
      }
    });
  });
  return found;
}

std::string words(const OpenCheckpoint& a, SavedState state, const Differing& differing) {
  std::size_t unit = 0;
  while (differing.first >= a.shape.first(unit + 1)) ++unit;
  const auto number = [](const float& value) {
    return ConstNumbers(NumberType::fp32, reinterpret_cast<const std::byte*>(&value), 1);
  };
  return fmt::format(
      "{}: {} of {} elements; the first is {} of unit {}: {} there, {} here ({} ulps)", name(state),
      grouped(differing.elements), grouped(a.file.head().elements),
      differing.first - a.shape.first(unit), unit, differing.a, differing.b,
      ulps_between(NumberType::fp32, number(differing.a), number(differing.b)));
}

}  // namespace

std::vector<std::string> differences(const OpenCheckpoint& a, const OpenCheckpoint& b) {
  std::vector<std::string> lines;
  const json mine = json::parse(a.saved.text()), other = json::parse(b.saved.text());
  for (const char* part : {"job", "state"}) {
    for (const std::string& key : differing_keys(mine[part], other[part])) {
      lines.push_back(fmt::format("{}: {} there, {} here", key, shown(mine[part], key),
                                  shown(other[part], key)));
    }
  }
  if (a.shape.widths != b.shape.widths) return lines;
  for (const SavedState state : {SavedState::master, SavedState::momentum, SavedState::variance}) {
    const bool there = a.file.head().holds(state), here = b.file.head().holds(state);
    if (there != here)
      lines.push_back(fmt::format("{}: only {}", name(state), there ? "there" : "here"));
    if (!there || !here) continue;
    const Differing differing = compare(a, b, state);
    if (differing.elements > 0) lines.push_back(words(a, state, differing));
  }
  return lines;
}

}  // namespace zerolab
