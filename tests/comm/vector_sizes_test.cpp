// A shard where the full vector belongs, or the reverse, is an error in words.
#include "ranks.hpp"

namespace zerolab {
namespace {

// What a stage that mixes up full and shard hands over. One rank's shard is the full vector, and
// 98, 40 and 18 elements have no shards of another's size on 2, 3, 4 or 8 ranks.
TEST(VectorSizes, FullAndShardAreToldApart) {
  Ranks ranks;
  if (ranks.size() == 1) return;
  const auto fault = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  for (const ReduceMode mode : {ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi}) {
    Reductions sums(ranks.comm, ranks.ledger, ranks.trace, mode, ranks.size(), 1000, {98, 40, 18});
    const std::size_t mine = ranks.cut(40).size(ranks.rank());
    Buffer full(ranks.ledger, Category::gradients, NumberType::fp16, 40);
    full.fill_zero();
    Sum shard, whole;
    shard.unit = whole.unit = 1;
    shard.stored = Buffer(ranks.ledger, Category::gradients, NumberType::fp16, mine);
    whole.stored = Buffer(ranks.ledger, Category::gradients, NumberType::fp16, 40);
    whole.stored.fill_zero();
    const Numbers part = full.numbers().part(0, mine);
    EXPECT_EQ(fault([&] { sums.all_reduce(shard); }),
              fmt::format("all-reduce: unit 1 has 40 elements, got {}", mine));
    EXPECT_EQ(fault([&] { sums.start_all_reduce(shard); }),
              fmt::format("all-reduce: unit 1 has 40 elements, got {}", mine));
    EXPECT_EQ(fault([&] { sums.reduce_scatter(part, shard); }),
              fmt::format("reduce-scatter: unit 1 has 40 elements, got {}", mine));
    const std::string too_long = fmt::format(
        "reduce-scatter of unit 1: this rank's shard of 40 elements has {}, the sum has 40", mine);
    EXPECT_EQ(fault([&] { sums.reduce_scatter(full, whole); }), too_long);
    EXPECT_EQ(fault([&] { sums.start_reduce_scatter(full, whole); }), too_long);
    const std::string gather =
        fmt::format("all-gather takes a full unit, and none has {} elements", mine);
    EXPECT_EQ(fault([&] { sums.all_gather(part); }), gather);
    EXPECT_EQ(fault([&] { sums.start_all_gather(part); }), gather);
    EXPECT_EQ(fault([&] { sums.add(full, shard); }),
              fmt::format("unit 1: 40 elements cannot be added to a sum of {}", mine));
    whole.unit = 3;
    EXPECT_EQ(fault([&] { sums.all_reduce(whole); }), "all-reduce of unit 3, but there are 3");
    whole.unit = 1;
    EXPECT_EQ(fault([&] { sums.all_reduce(whole); }), "none");
    EXPECT_EQ(fault([&] { sums.reduce_scatter(full, shard); }), "none");
    EXPECT_EQ(fault([&] { sums.all_gather(full); }), "none");
  }
}

}  // namespace
}  // namespace zerolab
