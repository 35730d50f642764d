#include "selection.hpp"

#include <algorithm>
#include <numeric>

#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

/// "a.{b,c}[*]" as "a", "{b,c}", "[*]".
std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps{""};
  for (const char c : path) {
    if (c == '[') steps.emplace_back();
    if (c == '.') {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  return steps;
}

std::vector<JsonField> below(const JsonField& field, const std::string& step) {
  if (step == "[*]") return field.list();
  if (step.starts_with('[')) {
    const std::size_t index = std::stoul(step.substr(1));
    const auto list = field.list();
    field.require_kind(index < list.size(), fmt::format("a list of more than {}", index));
    return {list[index]};
  }
  std::vector<JsonField> fields;
  for (const std::string& key : alternatives(step)) fields.push_back(field[key]);
  return fields;
}

}  // namespace

std::vector<std::string> alternatives(const std::string& text) {
  const std::size_t open = text.find('{'), close = text.find('}');
  if (open == std::string::npos || close == std::string::npos) return {text};
  std::vector<std::string> all;
  for (std::size_t from = open + 1; from <= close;) {
    const std::size_t to = std::min(text.find(',', from), close);
    all.push_back(text.substr(0, open) + text.substr(from, to - from) + text.substr(close + 1));
    from = to + 1;
  }
  return all;
}

Selection::Selection(Results& results, Source source)
    : source_(std::move(source)), results_folder_(results.folder()) {
  const nlohmann::json* whole = results.json(source_.file);
  const std::string name = results.folder() + "/" + source_.file;
  require(whole != nullptr, "{} is missing", name);
  fields_.emplace_back(name, *whole);
  for (const std::string& step : steps_of(source_.path)) {
    std::vector<JsonField> next;
    for (const JsonField& field : fields_) {
      for (JsonField& found : below(field, step)) next.push_back(std::move(found));
    }
    fields_ = std::move(next);
  }
}

const JsonField& Selection::field() const {
  require(fields_.size() == 1, "{}: {} selects {} values, not one", source_.file, source_.path,
          fields_.size());
  return fields_[0];
}

std::vector<std::uint64_t> Selection::wholes() const {
  std::vector<std::uint64_t> values;
  for (const JsonField& field : fields_) values.push_back(field.whole());
  return values;
}

std::uint64_t Selection::sum() const {
  constexpr std::uint64_t most = std::uint64_t{1}
                                 << 60;  // multiples of sums stay whole numbers too
  std::uint64_t sum = 0;
  for (const std::uint64_t value : wholes()) {
    require(value <= most && sum <= most - value, "{}/{}: {} is more than {} in sum",
            results_folder_, source_.file, source_.path, most);
    sum += value;
  }
  return sum;
}

bool Selection::all(std::uint64_t value) const {
  const auto values = wholes();
  return std::all_of(values.begin(), values.end(), [&](auto v) { return v == value; });
}

std::string Selection::range() const {
  const auto values = wholes();
  if (values.empty()) return "nothing";
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return *least == *greatest ? thin(*least) : thin(*least) + " to " + thin(*greatest);
}

std::string thin(std::uint64_t number) {
  std::string text;
  for (const char c : grouped(number)) {
    if (c == ' ') {
      text += "\u202F";
    } else {
      text += c;
    }
  }
  return text;
}

std::string times(std::uint64_t bytes, std::uint64_t unit) {
  if (unit == 0) return "-";
  return fmt::format("{:.6g}", static_cast<double>(bytes) / static_cast<double>(unit));
}

std::string exact_ratio(std::uint64_t a, std::uint64_t b) {
  if (b == 0) return "-";
  const std::uint64_t common = std::max<std::uint64_t>(std::gcd(a, b), 1);
  if (a % b == 0) return thin(a / b);
  return fmt::format("{}/{} = {:.4g}", thin(a / common), thin(b / common),
                     static_cast<double>(a) / static_cast<double>(b));
}

}  // namespace zerolab
