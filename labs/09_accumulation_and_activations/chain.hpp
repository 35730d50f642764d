#pragma once

#include <algorithm>

#include "check.hpp"
#include "lab.hpp"
#include "layers.hpp"
#include "meters.hpp"

// Tasks 4, 5 and 7: what the student's pass is given, and held against a plain one.

namespace {

using namespace zerolab;

class MeteredChain : public student::Chain {
 public:
  MeteredChain(lab::Check& check, const Layers& net, const PlainPass& right, std::string what)
      : check_(check), net_(net), right_(right), what_(std::move(what)), heap_(memory_) {
    random = right.random[0];
  }
  std::size_t layers() const override { return net_.size(); }
  std::size_t evaluations() const { return evaluations_; }
  std::size_t most_held() const {
    return memory_.total().peak / (net_.input.size() * sizeof(float));
  }
  /// Vectors that were in no Buffer, at most at a time.
  std::size_t most_hidden() const {
    return heap_.unaccounted().value_or(0) / (net_.input.size() * sizeof(float));
  }

  Buffer buffer(const Values& values) {
    Buffer buffer(memory_, Category::activations, NumberType::fp32, values.size());
    std::copy(values.begin(), values.end(), buffer.as<float>().begin());
    return buffer;
  }

  Buffer forward(std::size_t layer, const Buffer& input) override {
    heap_.look();
    require(layer < layers(), "{}: forward of layer {} of {}", what_, layer, layers());
    ++evaluations_;
    if (forward_ < layers()) expect_next("forward", layer, forward_++);
    expect_same(fmt::format("input of layer {} in forward", layer), input, right_.x[layer]);
    if (net_.drops(layer))
      check_.expect(random == right_.random[layer],
                    "{}: layer {} is run again from another state of the generator, so it drops "
                    "other elements than in the forward pass",
                    what_, layer);
    drawn_[layer] = random;
    random = net_.next(layer, random);
    return buffer(net_.forward(layer, drawn_[layer], input.as<float>()));
  }

  Buffer loss(const Buffer& output) override {
    heap_.look();
    ++losses_;
    check_.expect(forward_ == layers(), "{}: loss() before layer {} has run", what_, forward_);
    expect_same("output given to loss()", output, right_.x.back());
    return buffer(Layers::loss(output.size()));
  }

  Buffer backward(std::size_t layer, const Buffer& input, const Buffer& gradient) override {
    heap_.look();
    require(layer < layers(), "{}: backward of layer {} of {}", what_, layer, layers());
    check_.expect(losses_ == 1, "{}: backward after {} calls of loss()", what_, losses_);
    if (backward_ > 0) expect_next("backward", layer, --backward_);
    expect_same(fmt::format("input of layer {} in backward", layer), input, right_.x[layer]);
    expect_same(fmt::format("gradient of the output of layer {}", layer), gradient,
                right_.gradient[layer + 1]);
    auto gradients = net_.backward(layer, drawn_[layer], input.as<float>(), gradient.as<float>());
    weight_gradients_[layer] += gradients.weight;
    return buffer(gradients.input);
  }

  void finished() {
    check_.expect(backward_ == 0, "{}: backward ends before layer {}", what_, backward_ - 1);
    check_.equal(right_.weight_gradients, weight_gradients_, what_ + ": gradients of the weights");
    check_.expect(memory_.total().now == 0, "{}: Buffers are still held afterwards", what_);
  }

 private:
  void expect_next(const char* pass, std::size_t layer, std::size_t right) {
    check_.expect(layer == right, "{}: {} of layer {}, but layer {} comes next", what_, pass, layer,
                  right);
  }
  void expect_same(const std::string& which, const Buffer& got, const Values& right) {
    require(got.size() == right.size(), "{}: {} has {} elements{}", what_, which, got.size(),
            got.size() == 0 ? ": moved away, or released" : "");
    const auto values = got.as<float>();
    const auto [wrong, it] = std::mismatch(values.begin(), values.end(), right.begin());
    if (wrong != values.end())
      check_.fail("{}: {}: expected {}, got {}{}", what_, which, *it, *wrong, place(values));
  }
  /// What a wrong vector is the right one of.
  std::string place(std::span<const float> values) const {
    const auto is = [&](const Values& it) { return std::ranges::equal(values, it); };
    for (std::size_t l = 0; l <= layers(); ++l) {
      if (is(right_.x[l]))
        return l == 0 ? ": that is the chain's input"
                      : fmt::format(": that is the output of layer {}", l - 1);
    }
    for (std::size_t l = 0; l <= layers(); ++l) {
      if (is(right_.gradient[l]))
        return l == 0 ? ": that is the gradient of the chain's input"
                      : fmt::format(": that is the gradient of the output of layer {}", l - 1);
    }
    return "";
  }

  lab::Check& check_;
  const Layers& net_;
  const PlainPass& right_;
  const std::string what_;
  std::vector<std::uint64_t> drawn_ = right_.random;  ///< [l] what layer l last drew from
  Values weight_gradients_ = Values(net_.size());
  std::size_t evaluations_ = 0, forward_ = 0, losses_ = 0, backward_ = net_.size();
  MemoryLedger memory_;
  lab::HeapWatch heap_;
};

}  // namespace
