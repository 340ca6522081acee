#include "base/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/progress.h"

namespace hone {
namespace {

constexpr double kTrustedShare = 0.02;  // before, the time left would be a guess

}  // namespace

std::string duration_text(double seconds) {
  const double whole = std::round(std::clamp(seconds, 0.0, 1e12));
  const auto left = static_cast<long long>(whole);
  if (left < 60) return fmt::format("{} s", left);
  if (left < 3600) return fmt::format("{} min {} s", left / 60, left % 60);
  return fmt::format("{} h {} min", left / 3600, left / 60 % 60);
}

std::string progress_text(const ProgressLine& line) {
  std::string text;
  if (line.share) text += fmt::format("{:.0f} %, ", 100 * std::clamp(*line.share, 0.0, 1.0));
  text += duration_text(line.seconds);
  if (line.share && *line.share >= kTrustedShare && *line.share < 1)
    text += fmt::format(", about {} left", duration_text(line.seconds * (1 / *line.share - 1)));
  if (!line.best.empty()) text += "; best " + line.best;
  if (!line.doing.empty()) text += "; " + line.doing;
  return text;
}

void show_progress(const ProgressLine& line) { show_progress(progress_text(line)); }

void CountedProgress::show(std::size_t done, std::string doing, std::string best) const {
  const double share = static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all_, 1));
  show_progress({.doing = std::move(doing), .best = std::move(best), .seconds = timer_.seconds(), .share = share});
}

}  // namespace hone
