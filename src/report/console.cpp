#include "zerolab/report/console.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "zerolab/nn/blas.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

namespace {

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], shown_width(row[c]));
  }
  return widths;
}

/// A number written by grouped(), without its spaces; anything else as it is.
std::string ungrouped(std::string text) {
  if (text.find_first_not_of("0123456789 ") == std::string::npos) std::erase(text, ' ');
  return text;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ' ');
  return digits;
}

std::string table(std::vector<std::vector<std::string>> rows) {
  std::vector<std::size_t> widths = column_widths(rows);
  if (std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) > text_columns) {
    for (auto& row : rows) std::transform(row.begin(), row.end(), row.begin(), ungrouped);
    widths = column_widths(rows);
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += std::string(widths[c] - shown_width(row[c]) + 2, ' ') + row[c];
    }
    text += "\n";
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text, line;
  for (const std::string& word : words) {
    if (line.empty()) {
      line = word;
    } else if (shown_width(line + word) + 3 <= text_columns) {
      line += " · " + word;
    } else {
      text += line + "\n";
      line = "  " + word;
    }
  }
  return text + line + "\n";
}

std::string shell_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return (std::isalnum(c) != 0 && c < 0x80U) ||
           std::string_view("_./-+=@%,:").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && text[0] != '-' && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

namespace {

/// What changes no bits, but what is stored and sent, or when.
std::string how(const Job& job) {
  const std::size_t segments = std::min(job.activation_segments, job.shape.units());
  if (segments > 0)
    return fmt::format(", activations in {} segment{}", segments, segments == 1 ? "" : "s");
  return job.overlap ? ", overlapped" : "";
}

}  // namespace

std::vector<std::string> describe(const std::string& data, const Job& job, std::size_t ranks,
                                  std::size_t steps) {
  return {data,
          fmt::format("{}", fmt::join(job.shape.widths, "-")),
          fmt::format("Φ = {}", grouped(job.shape.parameters())),
          fmt::format("N = {}", ranks),
          std::string(name(job.precision)),
          std::string(name(job.optimizer.kind)),
          job.virtual_shards > 0 ? fmt::format("B = {}, V = {}, k = {}", job.batch,
                                               job.virtual_shards, job.rounds(ranks))
                                 : fmt::format("B = {}, k = {}", job.batch, job.accumulate),
          fmt::format("{} steps{}", grouped(steps), how(job))};
}

std::string describe_libraries(const Job& job) {
  if (job.gemm == GemmKind::reference) {
    return fmt::format("{} · reference products: plain loops, the same bits on every machine\n",
                       mpi_library());
  }
  return fmt::format("{} · OpenBLAS {}, kernel {}, {} thread{} per rank\n", mpi_library(),
                     blas_version(), blas_kernel(), blas_threads(), blas_threads() == 1 ? "" : "s");
}

std::string kernel_of(const Job& job) {
  return job.gemm == GemmKind::reference ? "reference" : blas_kernel();
}

std::string bits_hold_for(const Job& job) {
  if (job.gemm == GemmKind::reference) return "reference products (the same on any machine)";
  return fmt::format("kernel {} (another may round products otherwise)", blas_kernel());
}

}  // namespace zerolab
