// Samples that are computed when read: every class has a centre, every sample lies around one.
// Nothing is stored, and any rank can make any sample.
#include <algorithm>
#include <array>

#include "data_sources.hpp"
#include "zerolab/core/random.hpp"

namespace zerolab {

namespace {

constexpr std::uint64_t bytes_per_draw = 8;  // one draw of 64 random bits serves eight features
constexpr std::uint64_t block_draws = 16;
using NoiseBytes = std::array<std::uint8_t, block_draws * bytes_per_draw>;

/// Random bytes from `count` draws, the lowest byte of each first.
void draw_bytes(std::uint64_t key, std::uint64_t first, std::uint64_t count, NoiseBytes& bytes) {
  for (std::uint64_t draw = 0; draw < count; ++draw) {
    const std::uint64_t bits = random_bits(key, first + draw);
    std::uint8_t* const to = bytes.data() + draw * bytes_per_draw;
    for (std::uint64_t i = 0; i < bytes_per_draw; ++i) to[i] = std::uint8_t(bits >> (8 * i));
  }
}

/// A byte as a number in [-1, 1), a multiple of 2^-7.
float symmetric(std::uint8_t byte) {
  return static_cast<float>(int{byte} - 128) * 0x1p-7F;
}

/// How far the centres lie apart against the noise, a power of two. Two centres of F features lie
/// sqrt(2F/3) × spread apart, the noise along that line has deviation 1/sqrt(3). F × spread² in
/// (25, 100] makes that 7 to 14 deviations, whatever F.
float spread_for(std::uint64_t features) {
  float spread = 4;
  while (spread * spread * static_cast<float>(features) > 100) spread /= 2;
  return spread;
}

class SyntheticDataset final : public Dataset {
 public:
  SyntheticDataset(const SyntheticShape& shape, std::uint64_t seed)
      : shape_(shape),
        draws_((shape.features + bytes_per_draw - 1) / bytes_per_draw),
        spread_(spread_for(shape.features)),
        key_(random_bits(seed, 0x64617461)) {}  // apart from other uses of the seed: "data"

  std::size_t features() const override { return shape_.features; }
  std::size_t classes() const override { return shape_.classes; }
  std::size_t samples(Split split) const override {
    return split == Split::train ? shape_.samples : (shape_.samples - 1) / 5 + 1;
  }
  std::size_t bytes() const override { return 0; }

  std::int32_t label(Split split, std::size_t index) const override {
    check(split, index);
    return static_cast<std::int32_t>(random_bits(key_for(2, split), index) % shape_.classes);
  }

  void read(Split split, std::size_t index, std::span<float> out) const override {
    require(out.size() == shape_.features, "room for {} features, but a sample has {}", out.size(),
            shape_.features);
    const auto own_class = static_cast<std::uint64_t>(label(split, index));
    const std::uint64_t noise_key = key_for(1, split), centre_key = key_for(0, Split::train);
    NoiseBytes noise{}, centre{};
    for (std::uint64_t draw = 0; draw < draws_; draw += block_draws) {
      const std::uint64_t count = std::min(block_draws, draws_ - draw);
      draw_bytes(noise_key, index * draws_ + draw, count, noise);
      draw_bytes(centre_key, own_class * draws_ + draw, count, centre);
      const auto to = out.subspan(draw * bytes_per_draw);
      const std::size_t size = std::min(to.size(), noise.size());
      for (std::size_t i = 0; i < size; ++i) {
        to[i] = spread_ * symmetric(centre[i]) + symmetric(noise[i]);
      }
    }
  }

 private:
  void check(Split split, std::size_t index) const {
    require(index < samples(split), "sample {} of {} asked for", index, samples(split));
  }
  std::uint64_t key_for(std::uint64_t use, Split split) const {
    return random_bits(key_, 2 * use + (split == Split::test ? 1 : 0));
  }

  SyntheticShape shape_;
  std::uint64_t draws_;
  float spread_;
  std::uint64_t key_;
};

}  // namespace

std::unique_ptr<Dataset> make_synthetic(const SyntheticShape& shape, std::uint64_t seed) {
  return std::make_unique<SyntheticDataset>(shape, seed);
}

}  // namespace zerolab
