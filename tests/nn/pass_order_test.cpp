// What is called out of order, or with a vector of another size, is an error in words instead of
// rubbish.
#include "problem.hpp"

namespace zerolab {
namespace {

using Faults = std::vector<std::string>;

template <class Call>
std::string fault(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

/// 4-3-2: units of 15 and 8 elements.
struct Passes : testing::Test {
  Problem problem{{4, 3, 2}, 5, NumberType::fp32, 3};
  Network network{problem.shape, problem.ledger};
  Buffer gradient[2]{{problem.ledger, Category::gradients, NumberType::fp32, 15},
                     {problem.ledger, Category::gradients, NumberType::fp32, 8}};

  void start(std::size_t segments = 0, Network::Keep keep = Network::Keep::all_activations) {
    const auto input = network.start(5, keep, segments);
    std::copy(problem.samples.begin(), problem.samples.end(), input.begin());
  }
  std::string forward(std::size_t l) {
    return fault([&] { network.forward(l, problem.weights[l]); });
  }
  std::string recompute(std::size_t l) {
    return fault([&] { network.recompute(l, problem.weights[l]); });
  }
  std::string loss() {
    return fault([&] { network.loss(problem.labels, 1); });
  }
  std::string backward(std::size_t l) {
    return fault([&] { network.backward(l, problem.weights[l], gradient[l]); });
  }
  void start_backward(std::size_t segments = 0) {
    start(segments);
    EXPECT_EQ((Faults{forward(0), forward(1), loss()}), Faults(3, "none"));
  }
};

TEST_F(Passes, ForwardNeedsItsInput) {
  EXPECT_EQ(forward(0), "forward of unit 0, but no batch has been started");
  start();
  EXPECT_EQ(forward(1), "forward of unit 1, but unit 0 comes next");
  EXPECT_EQ(forward(0), "none");
  EXPECT_EQ(forward(0), "forward of unit 0, but unit 1 comes next");
  EXPECT_EQ(forward(1), "none");
  const std::string over =
      "forward of unit 0, but all 2 units have run; the next batch has not been started";
  EXPECT_EQ(forward(0), over);
  EXPECT_EQ(loss(), "none");
  EXPECT_EQ(forward(0), over);
  network.finish();
  EXPECT_EQ(forward(0), "forward of unit 0, but no batch has been started");
}

TEST_F(Passes, LossAndAccuracyNeedLogits) {
  const auto accuracy = [&] { return fault([&] { network.correct(problem.labels); }); };
  EXPECT_EQ(loss(), "loss without a batch");
  start();
  EXPECT_EQ(loss(), "loss before the forward pass has run unit 0");
  forward(0);
  EXPECT_EQ(loss(), "loss before the forward pass has run unit 1");
  EXPECT_EQ(accuracy(), "accuracy before the forward pass has run unit 1");
  forward(1);
  EXPECT_EQ((Faults{accuracy(), loss()}), Faults(2, "none"));
  EXPECT_EQ(loss(), "loss after the loss, whose gradient has replaced the logits");
  EXPECT_EQ(accuracy(), "accuracy after the loss, whose gradient has replaced the logits");
}

TEST_F(Passes, BackwardRunsLastToFirstAndOnce) {
  start();
  forward(0);
  forward(1);
  EXPECT_EQ(backward(1), "backward of unit 1 before the loss");
  loss();
  EXPECT_EQ(backward(0), "backward of unit 0, but unit 1 comes next");
  EXPECT_EQ(recompute(0), "recompute of unit 0, but nothing is to be recomputed");
  EXPECT_EQ(backward(1), "none");
  EXPECT_EQ(backward(1), "backward of unit 1, but unit 0 comes next");
  EXPECT_EQ(backward(0), "none");
  EXPECT_EQ(backward(0), "backward of unit 0, but all 2 units have run");
}

TEST_F(Passes, ASegmentIsRecomputedBeforeItIsEntered) {
  start_backward(1);
  EXPECT_EQ(backward(1), "backward of unit 1 before units 0 to 1 have been recomputed");
  EXPECT_EQ(recompute(1), "recompute of unit 1, but unit 0 comes next");
  EXPECT_EQ(recompute(0), "none");
  EXPECT_EQ(backward(1), "backward of unit 1 before units 0 to 1 have been recomputed");
  EXPECT_EQ(recompute(1), "none");
  EXPECT_EQ(recompute(0), "recompute of unit 0, but nothing is to be recomputed");
  EXPECT_EQ((Faults{backward(1), backward(0)}), Faults(2, "none"));
  start_backward(2);
  EXPECT_EQ(recompute(0), "recompute of unit 0, but unit 1 comes next");
  EXPECT_EQ((Faults{recompute(1), backward(1)}), Faults(2, "none"));
  EXPECT_EQ(backward(0), "backward of unit 0 before units 0 to 0 have been recomputed");
  EXPECT_EQ((Faults{recompute(0), backward(0)}), Faults(2, "none"));
  EXPECT_EQ(recompute(0), "recompute of unit 0, but nothing is to be recomputed");
}

TEST_F(Passes, WhatWasNotKeptHasNoBackward) {
  start(0, Network::Keep::last_activations);
  EXPECT_EQ((Faults{forward(0), forward(1), loss()}), Faults(3, "none"));
  EXPECT_EQ(backward(1), "backward of unit 1: its input has not been kept");
  start(1, Network::Keep::last_activations);
  EXPECT_EQ((Faults{forward(0), forward(1), loss()}), Faults(3, "none"));
  EXPECT_EQ(recompute(0), "recompute of unit 0: its input has not been kept");
}

TEST_F(Passes, VectorsHaveTheSizeOfTheirUnit) {
  const auto with = [&](std::size_t l, std::size_t of, Numbers grad) {
    return fault([&] { network.backward(l, problem.weights[of], grad); });
  };
  start();
  EXPECT_EQ(fault([&] { network.forward(0, problem.weights[1]); }),
            "unit 0 has 15 parameters, got 8");
  start();
  forward(0);
  const ConstNumbers whole = problem.weights[1];
  EXPECT_EQ(fault([&] { network.forward(1, whole.part(0, 3)); }), "unit 1 has 8 parameters, got 3");
  start_backward();
  EXPECT_EQ(with(1, 0, gradient[1]), "unit 1 has 8 parameters, got 15");
  start_backward();
  EXPECT_EQ(with(1, 1, gradient[0]), "the gradient of unit 1 has 8 elements, got 15");
  start_backward(1);
  EXPECT_EQ(fault([&] { network.recompute(0, problem.weights[1]); }),
            "unit 0 has 15 parameters, got 8");
  start();
  forward(0);
  forward(1);
  problem.labels.pop_back();
  EXPECT_EQ(loss(), "a batch of 5 samples, got 4 labels");
}

}  // namespace
}  // namespace zerolab
