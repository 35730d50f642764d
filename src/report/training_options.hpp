#pragma once

#include "option_values.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

/// The options that train and verify share, in groups; each goes into `o` as it is read.
void add_model_options(CLI::App& app, Options& o);
void add_optimizer_options(CLI::App& app, Options& o);
/// Of train alone: --save, --resume and what belongs to them.
void add_checkpoint_options(CLI::App& app, Options& o);
/// `expected` says what --expect-difference means there.
void add_output_options(CLI::App& app, Options& o, const std::string& expected);

}  // namespace zerolab
