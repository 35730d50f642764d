// doctor --collectives: what each collective really sends, by payload.
#include <algorithm>
#include <numeric>

#include "doctor.hpp"
#include "zerolab/comm/wire_counter.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

/// A collective on a full vector. Each is called as training calls it.
struct Subject {
  const char* name;
  std::size_t ring;  ///< bytes sent in a ring, in payload × (N−1)/N
  enum class Cut { any, even, ragged } cut;
  void (*call)(Communicator&, Numbers full, Numbers shards);
};

using Cut = Subject::Cut;

const std::array subjects{
    Subject{"Allreduce", 2, Cut::any, [](Communicator& c, Numbers v, Numbers) { c.all_reduce(v); }},
    Subject{"Reduce_scatter", 1, Cut::any,
            [](Communicator& c, Numbers v, Numbers) { c.reduce_scatter(v); }},
    Subject{"Allgather", 1, Cut::even,
            [](Communicator& c, Numbers v, Numbers) { c.all_gather(v); }},
    Subject{"Allgatherv", 1, Cut::ragged,
            [](Communicator& c, Numbers v, Numbers) { c.all_gather(v); }},
    Subject{"Alltoallv", 1, Cut::any,
            [](Communicator& c, Numbers v, Numbers s) { c.all_to_all(v, 0, v.size, s); }}};

/// The number next to `elements` that is cut as asked.
std::size_t fitted(std::size_t elements, Cut cut, std::size_t ranks) {
  if (cut == Cut::even) return std::max(elements / ranks, std::size_t{1}) * ranks;
  return cut == Cut::ragged && elements % ranks == 0 ? elements + 1 : elements;
}

SentBytes sent(Communicator& comm, const WireCounter& counter, const Subject& subject,
               std::size_t elements) {
  MemoryLedger memory;
  const Shards cut{elements, comm.size()};
  Buffer full(memory, Category::buffers, NumberType::fp32, elements);
  Buffer shards(memory, Category::buffers, NumberType::fp32, comm.size() * cut.size(comm.rank()));
  full.fill_zero();
  return sent_bytes(comm, counter, [&] { subject.call(comm, full, shards); });
}

std::string size_words(std::size_t bytes) {
  if (bytes >= 1U << 20U) return fmt::format("{} MB", bytes >> 20U);
  if (bytes >= 1U << 10U) return fmt::format("{} kB", bytes >> 10U);
  return fmt::format("{} B", bytes);
}

/// The mean and the busiest rank, in payloads; starred where a rank does not send the ring's bytes.
std::string cell(const SentBytes& sent, std::size_t payload) {
  const auto& bytes = sent.counted;
  const auto sum = [](const auto& v) {
    return std::accumulate(v.begin(), v.end(), std::uint64_t{0});
  };
  const auto total = sum(bytes), most = *std::max_element(bytes.begin(), bytes.end());
  if (total < sum(sent.ring)) return "not seen ";  // no algorithm does with less
  const auto unit = static_cast<double>(payload);
  return fmt::format("{:.3f}/{:.3f}{}",
                     static_cast<double>(total) / unit / static_cast<double>(bytes.size()),
                     static_cast<double>(most) / unit, bytes == sent.ring ? ' ' : '*');
}

}  // namespace

SentBytes sent_bytes(Communicator& comm, const WireCounter& counter,
                     const std::function<void()>& call) {
  const auto outside = comm.outside_training();
  const auto model = [&comm] { return comm.ledger().line(Collective::other).ring_bytes; };
  const std::uint64_t before = counter.sent(), ring_before = model();
  call();
  SentBytes bytes{std::vector<std::uint64_t>(comm.size()), std::vector<std::uint64_t>(comm.size())};
  bytes.counted[comm.rank()] = counter.sent() - before;
  bytes.ring[comm.rank()] = model() - ring_before;
  comm.sum(bytes.counted);
  comm.sum(bytes.ring);
  return bytes;
}

std::string collective_bytes(Communicator& comm) {
  const auto outside = comm.outside_training();
  const WireCounter counter(comm);
  const bool speaks = comm.rank() == 0;
  if (!counter.fault().empty())
    return speaks ? "sent bytes: not available: " + counter.fault() + "\n" : "";
  if (comm.size() == 1) return "sent bytes: one rank sends nothing\n";
  std::vector<std::vector<std::string>> rows{{"payload"}, {"ring"}};
  const auto n = static_cast<double>(comm.size());
  for (const Subject& subject : subjects) {
    rows[0].push_back(subject.name + std::string(" "));
    rows[1].push_back(fmt::format("{:.3f} ", static_cast<double>(subject.ring) * (n - 1) / n));
  }
  constexpr std::size_t smallest = 8, largest = 16U << 20U;
  for (std::size_t payload = smallest; payload <= largest; payload *= 2) {
    std::vector<std::string> row{size_words(payload)};
    for (const Subject& subject : subjects) {
      const std::size_t elements = fitted(payload / sizeof(float), subject.cut, comm.size());
      row.push_back(cell(sent(comm, counter, subject, elements), elements * sizeof(float)));
    }
    rows.push_back(std::move(row));
  }
  if (!speaks) return "";
  return fmt::format(
      "Bytes a rank sends in one call, in payloads: mean of the ranks / busiest rank\n"
      "  payload: the full vector, fp32, or the next size that Allgather's even and Allgatherv's "
      "ragged\n"
      "  cut allow; *: a rank does not send what it would in a ring, so another algorithm\n"
      "  not seen: fewer bytes were counted than any algorithm can do with\n{}",
      table(rows));
}

}  // namespace zerolab
