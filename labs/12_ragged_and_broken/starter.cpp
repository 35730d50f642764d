// Lab 12: ragged shards, and twelve broken stages.
//
// Grade it:   ./run_labs.sh grade 12
#include "lab.hpp"

std::size_t lab::shard_size(std::size_t /*elements*/, std::size_t /*ranks*/, std::size_t /*rank*/) {
  not_written("shard_size()");
}

std::size_t lab::shard_first(std::size_t /*elements*/, std::size_t /*ranks*/,
                             std::size_t /*rank*/) {
  not_written("shard_first()");
}

std::size_t lab::shard_owner(std::size_t /*elements*/, std::size_t /*ranks*/,
                             std::size_t /*index*/) {
  not_written("shard_owner()");
}

std::array<lab::Fault, 12> lab::diagnosis() {
  not_written("diagnosis()");
}
