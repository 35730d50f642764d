#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "zerolab/core/memory_ledger.hpp"

namespace zerolab {

enum class Split { train, test };

/// Labelled samples, split once and for all into training and test samples. Knows nothing of ranks.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::size_t features() const = 0;
  virtual std::size_t classes() const = 0;
  virtual std::size_t samples(Split split) const = 0;
  /// Bytes it holds in the ledger: rows × features × width + rows × 4 (labels); 0 for synthetic.
  virtual std::size_t bytes() const = 0;
  /// CRC-32 of the values and labels it holds, so that ranks can tell whether theirs are the same;
  /// 0 when it holds none.
  virtual std::uint32_t checksum() const { return 0; }

  /// Writes sample `index` of the split, scaled as training uses it, into `out` (features
  /// elements).
  virtual void read(Split split, std::size_t index, std::span<float> out) const = 0;
  virtual std::int32_t label(Split split, std::size_t index) const = 0;  ///< 0 … classes-1
};

/// Opens what `--data` names: digits | fashion-mnist | synthetic[:SAMPLES,FEATURES,CLASSES] |
/// csv:FILE | idx:IMAGES,LABELS. Throws Error naming the file, and the line or the expected and
/// found values. Nothing is allocated that the file's own size does not justify.
std::unique_ptr<Dataset> open_dataset(const std::string& name, std::uint64_t seed,
                                      MemoryLedger& ledger);

/// The files that such a name has read, as they are written in it; none where open_dataset refuses
/// the name itself. Opens nothing.
std::vector<std::string> data_files(const std::string& name);

}  // namespace zerolab
