#include "check.hpp"

#include "average.hpp"
#include "chain.hpp"
#include "counts.hpp"
#include "network.hpp"

namespace {

/// Trains a chain for each number of segments; then look(chain, layers, segments, words).
template <class Look>
void each_cut(lab::Check& check, const Layers& net, Look look) {
  const PlainPass right(net, 17);
  for (std::size_t s = net.size() + 2; s > 0; --s) {
    const std::string words = fmt::format("run_batch(), {} layers, s = {}", net.size(), s);
    MeteredChain chain(check, net, right, words);
    student::run_batch(chain, chain.buffer(net.input), s);
    chain.finished();
    look(chain, net.size(), std::min(s, net.size()), words);
    if (!check.holds()) return;
  }
}

Layers random_layers(std::size_t layers, std::size_t elements, std::size_t dropout = 0) {
  Layers net{Values(layers), Values(elements), dropout};
  for (std::size_t l = 0; l < layers; ++l) net.weights[l] = 0.5F + 0.25F * random_symmetric(1, l);
  for (std::size_t i = 0; i < elements; ++i) net.input[i] = random_symmetric(2, i);
  return net;
}

void same_gradients(lab::Check& check) {
  const auto evaluations = [&](const MeteredChain& chain, std::size_t layers, std::size_t s,
                               const std::string& words) {
    const std::size_t right = 2 * layers - s, got = chain.evaluations();
    check.expect(got == right, "{}: expected {} calls of forward(), {} of them again; got {}{}",
                 words, right, layers - s, got,
                 got == 2 * layers ? ": nobody needs the output of a segment's last layer again"
                 : got == layers   ? ": nothing is recomputed, so all inputs were kept"
                                   : "");
  };
  each_cut(check, Layers{{2, 1, 3, -1}, {1}}, evaluations);  // 1 → 3 → 4 → 13 → −12
  for (const std::size_t layers : {1U, 7U, 16U})
    each_cut(check, random_layers(layers, 5), evaluations);
}

void held(lab::Check& check) {
  const auto most_held = [&](const MeteredChain& chain, std::size_t layers, std::size_t s,
                             const std::string& words) {
    const std::size_t right = s + layers / s + 1, got = chain.most_held();
    check.expect(got <= right, "{}: expected {} vectors at most at a time, got {}{}", words, right,
                 got,
                 got == layers + 2  ? ": as many as without checkpointing"
                 : got == right + 1 ? ": the output, an input or a gradient outlives its last use"
                                    : "");
    check.expect(chain.most_hidden() == 0, "{}: {} vectors are held outside of Buffers", words,
                 chain.most_hidden());
  };
  for (const std::size_t layers : {4U, 16U, 7U, 1U})
    each_cut(check, random_layers(layers, 1U << 13), most_held);
}

void dropout(lab::Check& check) {
  for (const std::size_t every : {1U, 3U}) {
    const Layers net = random_layers(7, 64, every);
    const std::uint64_t after = PlainPass(net, 17).random.back();
    each_cut(check, net,
             [&](const MeteredChain& chain, std::size_t, std::size_t, const std::string& words) {
               check.expect(
                   chain.random == after,
                   "{}: the generator does not stand where the forward pass left it, so the next "
                   "micro-batch would draw some numbers again",
                   words);
             });
  }
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 1, "what a step sends, by stage and k", what_a_step_sends},
      {2, 1, "bytes for each sample", bytes_per_sample},
      {3, 2, "k micro-batches, one average", averages},
      {3, 2, "recomputed: the same gradients, no layer too often", same_gradients},
      {4, 2, "recomputed: what is held at a time", held},
      {4, 1, "activations in bytes, and how many segments", memory_of_network},
      {5, 1, "dropout drops the same elements again", dropout},
  };
}
