#include "base/search_base.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/interrupt.h"

namespace hone {
namespace {

constexpr double kSecondsBetweenLines = 0.2;

}  // namespace

std::string_view text_of(SearchEnd end) {
  switch (end) {
    case SearchEnd::nothing_left: return "nothing is left to try";
    case SearchEnd::evaluations: return "all evaluations are spent";
    case SearchEnd::seconds: return "the time is up";
    case SearchEnd::interrupted: return "interrupted";
    case SearchEnd::proved_best: return "proved optimal, nothing better exists";
  }
  return {};
}

std::string_view name_of(SearchEnd end) {
  switch (end) {
    case SearchEnd::nothing_left: return "nothing_left";
    case SearchEnd::evaluations: return "evaluations";
    case SearchEnd::seconds: return "time";
    case SearchEnd::interrupted: return "interrupted";
    case SearchEnd::proved_best: return "optimal";
  }
  return {};
}

std::string ending_text(SearchEnd end, double seconds) {
  return fmt::format("ended after {:.2f} s: {}\n", seconds, text_of(end));
}

bool SearchEffort::spent() const {
  return evaluations_ >= budget_.evaluations || ended_ != SearchEnd::nothing_left || interrupted() || is_late();
}

double SearchEffort::share_spent() const {
  const double evaluations = static_cast<double>(evaluations_) / static_cast<double>(budget_.evaluations);
  return std::min(1.0, std::max(evaluations, reckoned_at_ / budget_.seconds));
}

SearchEnd SearchEffort::end() const {
  if (interrupted()) return SearchEnd::interrupted;
  if (ended_ != SearchEnd::nothing_left) return ended_;
  if (evaluations_ >= budget_.evaluations) return SearchEnd::evaluations;
  return is_late() ? SearchEnd::seconds : SearchEnd::nothing_left;
}

Deadline SearchEffort::deadline() const { return Deadline(budget_.seconds - reserved_ - seconds()); }

void SearchEffort::replay_at(double seconds) {
  replaying_ = true;
  seconds_before_ = seconds;
}

void SearchEffort::end_replay() {
  replaying_ = false;
  timer_ = Timer();
}

bool SearchEffort::is_line_due() const { return announce_ && seconds() > announced_at_ + kSecondsBetweenLines; }

void SearchEffort::announce(const std::string& line) const {
  if (announce_) announce_(line);
}

void SearchEffort::announce_best(const std::string& best) {
  announced_at_ = seconds();
  announce(fmt::format("{} evaluations, {:.1f} s, best {}", evaluations_, announced_at_, best));
}

}  // namespace hone
