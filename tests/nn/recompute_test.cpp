// Activation checkpointing in the network: the bits of a pass that keeps everything, and the bytes
// of the closed form; the form itself against sums written out here.
#include "problem.hpp"

namespace zerolab {
namespace {

const std::vector<Widths> shapes{
    {4, 2}, {13, 7, 5, 3}, {2, 3, 9}, {5, 8, 8, 8, 4}, {3, 9, 1, 4, 6, 2, 7}};
constexpr NumberType types[]{NumberType::fp16, NumberType::bf16, NumberType::fp32};

// 7 units in 3 segments: 0 1 2, 3 4, 5 6. At most one unit a segment.
TEST(Segments, AreRaggedLikeShards) {
  const std::vector<std::pair<std::size_t, std::size_t>> of_three{{0, 2}, {0, 2}, {0, 2}, {3, 4},
                                                                  {3, 4}, {5, 6}, {5, 6}};
  for (std::size_t l = 0; l < 7; ++l) {
    const Segment three = segment_of(l, 7, 3);
    EXPECT_EQ(std::pair(three.first, three.last), of_three[l]);
    EXPECT_EQ(segment_of(l, 7, 1).size(), 7U);
    for (const std::size_t many : {std::size_t{7}, std::size_t{8}, SIZE_MAX}) {
      EXPECT_EQ(segment_of(l, 7, many).first, l);
      EXPECT_EQ(segment_of(l, 7, many).size(), 1U);
    }
  }
}

TEST(Recompute, BitsAreThoseOfKeptActivations) {
  for (const Widths& widths : shapes) {
    for (const NumberType type : types) {
      for (const std::size_t rows : {0U, 1U, 7U}) {
        Problem problem(widths, rows, type, 8);
        const Trained kept = train(problem, type, 64);
        for (std::size_t segments = 1; segments <= problem.shape.units() + 2; ++segments) {
          SCOPED_TRACE(fmt::format("{} batch {} {} in {}", fmt::join(widths, "-"), rows, name(type),
                                   segments));
          const Trained again = train(problem, type, 64, openblas_gemm, segments);
          EXPECT_EQ(again.loss.grid, kept.loss.grid);
          for (std::size_t l = 0; l < problem.shape.units(); ++l)
            EXPECT_EQ(as_floats(again.gradients[l]), as_floats(kept.gradients[l])) << "unit " << l;
        }
      }
    }
  }
}

std::size_t peak(const Widths& widths, std::size_t rows, NumberType type, std::size_t segments) {
  Problem problem(widths, rows, type, 8);
  train(problem, type, 1, openblas_gemm, segments);
  return problem.ledger.line(Category::activations).peak;
}

TEST(Recompute, ActivationBytesAreThePeak) {
  std::vector<Widths> all = shapes;
  all.push_back({6, 1024, 300, 3});  // tiles
  for (const Widths& widths : all) {
    for (const NumberType type : types) {
      for (const std::size_t rows : {0U, 1U, 5U}) {
        for (std::size_t segments = 0; segments <= widths.size() + 1; ++segments) {
          EXPECT_EQ(peak(widths, rows, type, segments),
                    (NetworkShape{widths}.activation_bytes(rows, 0, type, segments)))
              << fmt::format("{} batch {} {} in {}", fmt::join(widths, "-"), rows, name(type),
                             segments);
        }
      }
    }
  }
}

// 2-3-9, elements of a row. All kept: 2 + 3 inputs, 9 gradients of logits and 3 of their inputs. In
// one segment: 2 + 3 inputs, 9 logits once more, and their 9 gradients: dearer than without. In
// two: the same inputs and logits.
TEST(Recompute, AWideLastLayerMakesItDearer) {
  const NetworkShape shape{{2, 3, 9}};
  EXPECT_EQ(shape.activation_bytes(4, 0, NumberType::fp32), 4 * 4 * 17U);
  EXPECT_EQ(shape.activation_bytes(4, 0, NumberType::fp32, 1), 4 * 4 * 23U);
  EXPECT_EQ(shape.activation_bytes(4, 0, NumberType::fp32, 2), 4 * 4 * 23U);
}

/// Layers held at most with L units of one width in s segments: when the i-th is recomputed, of
/// ⌈L/s⌉ or ⌊L/s⌋ units, i inputs of segments, its other units' inputs, and its last output and the
/// gradient of that.
std::size_t layers_held(std::size_t units, std::size_t s) {
  std::size_t most = 0;
  for (std::size_t i = 1; i <= s; ++i)
    most = std::max(most, i + units / s + (i <= units % s ? 1 : 0) + 1);
  return most;
}

// 16 units of equal widths: least near √16, half of the 18 layers without checkpointing.
TEST(Recompute, SixteenEqualLayersNeedLeastNearFourSegments) {
  constexpr std::size_t units = 16, rows = 3, w = 5;
  const Widths widths(units + 1, w);
  const auto bytes = [&](std::size_t layers) { return 4 * rows * w * layers; };
  EXPECT_EQ(peak(widths, rows, NumberType::fp32, 0), bytes(16 + 2));
  std::vector<std::size_t> best;
  std::size_t least = SIZE_MAX;
  for (std::size_t s = 1; s <= units; ++s) {
    const std::size_t held = peak(widths, rows, NumberType::fp32, s);
    EXPECT_EQ(held, bytes(layers_held(units, s))) << s << " segments";
    if (held < least) best.clear();
    least = std::min(least, held);
    if (held == least) best.push_back(s);
  }
  EXPECT_EQ(least, bytes(9));
  EXPECT_EQ(best, (std::vector<std::size_t>{3, 4, 5, 6}));
}

}  // namespace
}  // namespace zerolab
