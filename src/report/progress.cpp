#include "zerolab/report/progress.hpp"

#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<std::size_t>(seconds / 60);
  if (minutes < 60)
    return fmt::format("{} min {:02.0f} s", minutes, seconds - 60.0 * static_cast<double>(minutes));
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace

std::string progress_line(const std::string& what, const Position& at, std::size_t columns) {
  const auto epoch = [&](std::size_t steps) { return at.plan.position(steps - 1).epoch + 1; };
  const double a_step = at.seconds / static_cast<double>(at.done - at.plan.first_step);
  // The first that does not fit any more and all after it are left out.
  std::string line = shown_width(what) <= columns ? what : "";
  for (const std::string& words :
       {fmt::format("epoch {}/{}", epoch(at.done), epoch(at.steps)),
        fmt::format("loss {:.4f}", at.loss),
        fmt::format("{:.0f} samples/s", static_cast<double>(at.samples) / at.seconds),
        duration(a_step * static_cast<double>(at.steps - at.done)) + " left",
        fmt::format("step {}/{}", at.done, at.steps)}) {
    if (shown_width(line) + 3 + shown_width(words) > columns) break;
    line.append(" · ").append(words);
  }
  return line;
}

Progress::Progress(bool wanted, std::string what, const JobData& data, std::size_t steps)
    : line_(wanted),
      what_(std::move(what)),
      at_{0, steps, data.plan, 0, 0, 0},
      begin_(Clock::now()),
      shown_(begin_) {}

void Progress::show(std::size_t step, const StepResult& result) {
  const auto now = Clock::now();
  at_.samples += result.samples;
  if (!line_.watched() || now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  at_.done = step + 1;
  at_.loss = result.loss;
  at_.seconds = std::chrono::duration<double>(now - begin_).count();
  line_.show(progress_line(what_, at_, line_.columns()));
}

}  // namespace zerolab
