// The command line: every option reaches its field, and defaults are the documented ones.
#include <gtest/gtest.h>

#include <cmath>

#include "command_line.hpp"

namespace zerolab {
namespace {

/// The options of `train` with these words; fails when they are refused.
Options train(Words words) {
  words.insert(words.begin(), "train");
  const CommandLine line = parse(std::move(words));
  EXPECT_EQ(line.text, "");
  EXPECT_EQ(line.exit_code, 0);
  EXPECT_EQ(line.command, "train");
  return line.options;
}

TEST(Options, Defaults) {
  const Options o = train({});
  EXPECT_EQ(o.stage, 0);
  EXPECT_EQ(o.stages, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(o.data, "digits");
  EXPECT_EQ(o.hidden, (std::vector<std::size_t>{128, 64}));
  EXPECT_EQ(o.job.precision, NumberType::fp16);
  EXPECT_FALSE(o.reduce);
  EXPECT_EQ(o.job.reduce, ReduceMode::exact);
  EXPECT_EQ(o.job.optimizer.kind, OptimizerKind::adam);
  EXPECT_EQ(o.job.optimizer.learning_rate, 1e-3);
  EXPECT_EQ(o.job.optimizer.momentum, 0);
  EXPECT_EQ(o.job.optimizer.weight_decay, 0);
  EXPECT_TRUE(std::isinf(o.job.clip_norm));
  EXPECT_EQ(o.job.batch, 32U);
  EXPECT_EQ(o.job.accumulate, 1U);
  EXPECT_EQ(o.job.virtual_shards, 0U);
  EXPECT_EQ(o.job.activation_segments, 0U);
  EXPECT_FALSE(o.job.overlap);
  EXPECT_EQ(o.epochs, 1U);
  EXPECT_FALSE(o.steps);
  EXPECT_EQ(o.job.seed, 1U);
  EXPECT_FALSE(o.job.loss_scale.fixed) << "dynamic for fp16";
  EXPECT_EQ(o.job.loss_scale.growth_interval, 1000U);
  EXPECT_EQ(o.job.loss_scale.max_skips, 50U);
  EXPECT_EQ(o.job.chunk_elements, 262144U);
  EXPECT_FALSE(o.trace || o.quiet || o.expect_difference || o.json_only() || o.count_wire);
  EXPECT_EQ(o.job.gemm, GemmKind::openblas);
  EXPECT_EQ(o.metrics + o.json + o.digests + o.wire, "");
  EXPECT_TRUE(o.against.empty());
}

TEST(Options, ModelOptionsReachTheirFields) {
  EXPECT_EQ(train({"--stage", "3"}).stage, 3);
  EXPECT_EQ(train({"--data", "csv:a b.csv"}).data, "csv:a b.csv");
  EXPECT_EQ(train({"--hidden", "7"}).hidden, (std::vector<std::size_t>{7}));
  EXPECT_EQ(train({"--hidden", "9,1,300"}).hidden, (std::vector<std::size_t>{9, 1, 300}));
  EXPECT_EQ(train({"--precision", "bf16"}).job.precision, NumberType::bf16);
  EXPECT_EQ(train({"--precision", "fp32"}).job.precision, NumberType::fp32);
  EXPECT_EQ(train({"--reduce", "ordered"}).job.reduce, ReduceMode::ordered);
  EXPECT_EQ(train({"--reduce", "mpi"}).job.reduce, ReduceMode::mpi);
  EXPECT_EQ(train({"--reduce", "exact"}).reduce, ReduceMode::exact)
      << "asked for, unlike the default";
  EXPECT_EQ(train({"--batch", "5"}).job.batch, 5U);
  EXPECT_EQ(train({"--accumulate", "6"}).job.accumulate, 6U);
  EXPECT_EQ(train({"--virtual-shards", "24"}).job.virtual_shards, 24U);
  EXPECT_EQ(train({"--checkpoint-activations", "4"}).job.activation_segments, 4U);
  EXPECT_EQ(train({"--checkpoint-activations", "0", "--overlap"}).job.activation_segments, 0U);
  EXPECT_EQ(train({"--epochs", "7"}).epochs, 7U);
  EXPECT_EQ(train({"--steps", "0"}).steps, 0U);
  EXPECT_EQ(train({"--steps", "8"}).steps, 8U);
  EXPECT_EQ(train({"--gemm", "reference"}).job.gemm, GemmKind::reference);
  EXPECT_EQ(train({"--seed", "0"}).job.seed, 0U);
  EXPECT_EQ(train({"--seed", "123456789012345"}).job.seed, 123456789012345U);
  EXPECT_EQ(train({"--chunk-elements", "1000"}).job.chunk_elements, 1000U);
}

TEST(Options, OptimizerOptionsReachTheirFields) {
  EXPECT_EQ(train({"--optimizer", "adamw"}).job.optimizer.kind, OptimizerKind::adamw);
  const Options sgd = train({"--optimizer", "sgd", "--momentum", "0.9"});
  EXPECT_EQ(sgd.job.optimizer.kind, OptimizerKind::sgd);
  EXPECT_EQ(sgd.job.optimizer.momentum, 0.9);
  EXPECT_EQ(train({"--lr", "2.5e-2"}).job.optimizer.learning_rate, 0.025);
  // 2^-73 above the middle of two doubles, where a long double may stop and be rounded down.
  EXPECT_EQ(train({"--lr", "1.00000000000000011102230246251565412"}).job.optimizer.learning_rate,
            0x1.0000000000001p0);
  EXPECT_EQ(train({"--lr", "0"}).job.optimizer.learning_rate, 0);
  EXPECT_EQ(train({"--weight-decay", "0.01"}).job.optimizer.weight_decay, 0.01);
  EXPECT_EQ(train({"--clip-norm", "0.5"}).job.clip_norm, 0.5);
  EXPECT_EQ(train({"--loss-scale-growth-interval", "3"}).job.loss_scale.growth_interval, 3U);
  EXPECT_EQ(train({"--max-skips", "4"}).job.loss_scale.max_skips, 4U);
}

TEST(Options, OutputOptionsReachTheirFields) {
  EXPECT_TRUE(train({"--trace"}).trace);
  EXPECT_TRUE(train({"--quiet"}).quiet);
  EXPECT_EQ(train({"--metrics", "m.jsonl"}).metrics, "m.jsonl");
  EXPECT_EQ(train({"--json", "s.json"}).json, "s.json");
  EXPECT_TRUE(train({"--json", "-"}).json_only());
  const CommandLine verify = parse({"verify", "--stages", "2,0", "--expect-difference"});
  EXPECT_EQ(verify.command, "verify");
  EXPECT_EQ(verify.options.stages, (std::vector<int>{2, 0}));
  EXPECT_TRUE(verify.options.expect_difference);
  EXPECT_EQ(train({"--digests", "a b"}).digests, "a b");
  const Options against = train({"--against", "a b", "--expect-difference"});
  EXPECT_EQ(against.against, std::vector<std::string>{"a b"});
  EXPECT_TRUE(against.expect_difference);
  EXPECT_EQ(parse({"verify", "--against", "a", "--against", "b"}).options.against,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse({"doctor"}).command, "doctor");
}

TEST(Options, CheckpointOptionsReachTheirFields) {
  EXPECT_EQ(train({}).save + train({}).resume, "");
  EXPECT_EQ(train({}).save_every + train({}).keep + train({}).allow.size(), 0U);
  EXPECT_FALSE(train({}).time_limit);
  const Options o = train({"--save", "a b", "--save-every", "50", "--keep", "2", "--time-limit",
                           "2.5", "--resume", "c", "--allow", "lr", "--allow", "data"});
  EXPECT_EQ(o.save, "a b");
  EXPECT_EQ(o.save_every, 50U);
  EXPECT_EQ(o.keep, 2U);
  EXPECT_EQ(o.time_limit, 2.5);
  EXPECT_EQ(o.resume, "c");
  EXPECT_EQ(o.allow, (std::set<std::string>{"data", "lr"}));
  const CommandLine diff = parse({"checkpoint", "diff", "a", "b"});
  EXPECT_EQ(diff.command, "checkpoint");
  EXPECT_FALSE(diff.needs_ranks());
  EXPECT_EQ(diff.checkpoint.action, "diff");
  EXPECT_EQ(diff.checkpoint.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse({"checkpoint", "export", "a", "--output", "n"}).checkpoint.output, "n");
  EXPECT_EQ(parse({"checkpoint", "info", "a", "--json", "-"}).checkpoint.json, "-");
}

TEST(Options, LossScaleIsDynamicOnlyWhereItHelpsOrIsAskedFor) {
  using Scale = std::optional<double>;
  EXPECT_EQ(train({"--precision", "bf16"}).job.loss_scale.fixed, Scale(1));
  EXPECT_EQ(train({"--precision", "fp32"}).job.loss_scale.fixed, Scale(1));
  EXPECT_EQ(train({"--loss-scale", "dynamic"}).job.loss_scale.fixed, Scale());
  EXPECT_EQ(train({"--precision", "fp32", "--loss-scale", "dynamic"}).job.loss_scale.fixed,
            Scale());
  EXPECT_EQ(train({"--loss-scale", "1"}).job.loss_scale.fixed, Scale(1));
  EXPECT_EQ(train({"--loss-scale", "1024"}).job.loss_scale.fixed, Scale(1024));
  EXPECT_EQ(train({"--loss-scale", "16777216"}).job.loss_scale.fixed, Scale(0x1p24));
  EXPECT_EQ(train({"--precision", "bf16", "--loss-scale", "8"}).job.loss_scale.fixed, Scale(8));
}

TEST(Options, HelpListsEveryOption) {
  EXPECT_EQ(parse({"--help"}).exit_code, 0);
  EXPECT_EQ(parse({"--help"}).command, "");
  for (const char* command : {"train", "verify", "ask", "doctor"}) {
    EXPECT_NE(parse({"--help"}).text.find(command), std::string::npos);
    const CommandLine help = parse({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.command, "");
    EXPECT_NE(help.text.find(command), std::string::npos);
  }
  const std::string train_help = parse({"train", "--help"}).text;
  for (const char* option : {"--stage",
                             "--data",
                             "--hidden",
                             "--precision",
                             "--reduce",
                             "--optimizer",
                             "--lr",
                             "--momentum",
                             "--weight-decay",
                             "--clip-norm",
                             "--batch",
                             "--accumulate",
                             "--virtual-shards",
                             "--checkpoint-activations",
                             "--overlap",
                             "--epochs",
                             "--steps",
                             "--seed",
                             "--gemm",
                             "--digests",
                             "--against",
                             "--expect-difference",
                             "--loss-scale",
                             "--loss-scale-growth-interval",
                             "--max-skips",
                             "--chunk-elements",
                             "--metrics",
                             "--trace",
                             "--quiet",
                             "--json"}) {
    EXPECT_NE(train_help.find(option), std::string::npos) << option;
  }
  EXPECT_TRUE(parse({"--version"}).text.starts_with("zerolab "));
}

}  // namespace
}  // namespace zerolab
