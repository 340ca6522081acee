#include "learn/advantage/candidate_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/distinct.h"

namespace hone {
namespace {

constexpr std::size_t kLearnedBetween = 32;  // observations after which all predictions follow what was learned

/// Kernels that a unit is about.
std::vector<GroupId> kernels_about(const DecisionUnits::Unit& unit, AdvantageFeatures& features) {
  if (!unit.operation.valid()) return {};
  std::vector<GroupId> kernels = features.kernels().kernels_near(unit.operation);
  if (unit.reader.valid()) kernels.push_back(features.plan().group(unit.reader));
  return distinct(std::move(kernels));
}

}  // namespace

std::vector<std::uint32_t> units_around(const DecisionUnits& units, AdvantageFeatures& features,
                                        std::span<const std::uint32_t> changed) {
  std::vector<GroupId> kernels;
  std::vector<std::uint32_t> found(changed.begin(), changed.end());
  for (const std::uint32_t unit : changed)
    for (const GroupId kernel : kernels_about(units.at(unit), features)) kernels.push_back(kernel);
  for (const GroupId kernel : distinct(std::move(kernels)))
    for (const OperationId operation : features.kernels().operations(kernel)) {
      const std::span<const std::uint32_t> about = units.about(operation);
      found.insert(found.end(), about.begin(), about.end());
    }
  return distinct(std::move(found));
}

CandidateTable::CandidateTable(const DecisionUnits& units, AdvantageModel& model, AdvantageFeatures& features)
    : units_(units), model_(model), features_(features) {
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    first_.push_back(static_cast<std::uint32_t>(candidates_.size()));
    for (std::uint32_t option = 0; option < units.at(unit).options; ++option) candidates_.push_back({unit, option});
  }
  states_.assign(size(), State::decided);
  looked_at_.assign(size(), 0);
  advantages_.assign(size(), 0);
  magnitudes_.assign(size(), 0);
  bases_.assign(size() * model.basis_size(), 0);
}

void CandidateTable::set(std::span<const float> row) {
  features_.set(row);
  std::vector<std::uint32_t> all(units_.size());
  std::iota(all.begin(), all.end(), 0U);
  judge(all);
  predict_all();
}

void CandidateTable::move(std::span<const float> row, std::span<const std::uint32_t> changed) {
  std::vector<std::uint32_t> affected = units_around(units_, features_, changed);
  features_.set(row);
  const std::vector<std::uint32_t> now = units_around(units_, features_, changed);
  affected.insert(affected.end(), now.begin(), now.end());
  affected = distinct(std::move(affected));
  judge(affected);
}

void CandidateTable::judge(std::span<const std::uint32_t> units) {
  for (const std::uint32_t unit : units)
    for (std::uint32_t option = 0; option < units_.at(unit).options; ++option) {
      states_[first_[unit] + option] = State::decided;
      looked_at_[first_[unit] + option] = 0;
    }
  const AdvantageModel::Judged judged = model_.judge(features_, units);
  const std::size_t width = model_.basis_size();
  for (std::size_t i = 0; i < judged.candidates.size(); ++i) {
    const std::size_t entry = first_[judged.candidates[i].unit] + judged.candidates[i].option;
    states_[entry] = State::open;
    std::copy_n(judged.bases.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                bases_.begin() + static_cast<std::ptrdiff_t>(entry * width));
    predict(entry);
  }
}

void CandidateTable::predict(std::size_t entry) {
  const std::span<const float> basis = std::span(bases_).subspan(entry * model_.basis_size(), model_.basis_size());
  advantages_[entry] = static_cast<float>(model_.predict(basis, AdvantageOutput::advantage));
  magnitudes_[entry] = static_cast<float>(model_.predict(basis, AdvantageOutput::magnitude));
}

void CandidateTable::predict_all() {
  for (std::size_t entry = 0; entry < size(); ++entry)
    if (states_[entry] == State::open) predict(entry);
  learned_ = model_.learned();
}

void CandidateTable::note(std::size_t entry, double advantage, Learning learning) {
  const float label = signed_log(advantage / features_.unit());
  if (learning == Learning::online && std::isfinite(advantage))
    model_.learn(std::span(bases_).subspan(entry * model_.basis_size(), model_.basis_size()), label);
  states_[entry] = State::tried;
  advantages_[entry] = label;
  magnitudes_[entry] = std::abs(label);
  if (model_.learned() >= learned_ + kLearnedBetween) predict_all();
}

std::vector<std::uint32_t> CandidateTable::best(AdvantageOutput by, std::size_t most) const {
  std::vector<std::uint32_t> entries;
  for (std::uint32_t entry = 0; entry < size(); ++entry)
    if (states_[entry] == State::open) entries.push_back(entry);
  return least(std::move(entries), by, most);
}

std::vector<std::uint32_t> CandidateTable::best_to_look_at(std::size_t most) const {
  std::vector<std::uint32_t> entries;
  for (std::uint32_t entry = 0; entry < size(); ++entry)
    if (states_[entry] != State::decided && looked_at_[entry] == 0) entries.push_back(entry);
  return least(std::move(entries), AdvantageOutput::advantage, most);
}

std::vector<std::uint32_t> CandidateTable::least(std::vector<std::uint32_t> entries, AdvantageOutput by,
                                                 std::size_t most) const {
  most = std::min(most, entries.size());
  const auto before = [&](std::uint32_t one, std::uint32_t other) {
    const float a = by == AdvantageOutput::advantage ? advantages_[one] : -magnitudes_[one];
    const float b = by == AdvantageOutput::advantage ? advantages_[other] : -magnitudes_[other];
    return a < b || (a == b && one < other);
  };
  std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(most), entries.end(), before);
  entries.resize(most);
  std::ranges::sort(entries, before);
  return entries;
}

std::vector<std::uint32_t> CandidateTable::apart(std::span<const std::uint32_t> entries) const {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint8_t> taken(features_.plan().group_count());
  for (const std::uint32_t entry : entries) {
    const std::vector<GroupId> kernels = kernels_about(units_.at(candidates_[entry].unit), features_);
    if (std::ranges::any_of(kernels, [&](GroupId kernel) { return taken[kernel.index()] != 0; })) continue;
    for (const GroupId kernel : kernels) taken[kernel.index()] = 1;
    kept.push_back(entry);
  }
  return kept;
}

}  // namespace hone
