#include "learn/advantage/candidate_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/distinct.h"

namespace hone {
namespace {

constexpr std::size_t kLearnedBetween = 32;  // observations after which all predictions follow what was learned

}  // namespace

CandidateTable::CandidateTable(const DecisionUnits& units, AdvantageModel& model, AdvantageFeatures& features)
    : units_(units), model_(model), features_(features) {
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    first_.push_back(static_cast<std::uint32_t>(candidates_.size()));
    for (std::uint32_t option = 0; option < units.at(unit).options; ++option) candidates_.push_back({unit, option});
  }
  states_.assign(size(), State::decided);
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
  std::vector<std::uint32_t> affected = around(changed);
  features_.set(row);
  const std::vector<std::uint32_t> now = around(changed);
  affected.insert(affected.end(), now.begin(), now.end());
  affected = distinct(std::move(affected));
  judge(affected);
}

/// Units about operations of the kernels that changed units are about, and about their neighbours.
std::vector<std::uint32_t> CandidateTable::around(std::span<const std::uint32_t> changed) const {
  std::vector<GroupId> kernels;
  for (const std::uint32_t unit : changed)
    for (const GroupId kernel : kernels_of(unit)) kernels.push_back(kernel);
  kernels = distinct(std::move(kernels));
  std::vector<std::uint32_t> found;
  for (const std::uint32_t unit : changed) found.push_back(unit);
  for (const GroupId kernel : kernels)
    for (const OperationId operation : features_.kernels().operations(kernel)) {
      const std::span<const std::uint32_t> about = units_.about(operation);
      found.insert(found.end(), about.begin(), about.end());
    }
  return distinct(std::move(found));
}

std::vector<GroupId> CandidateTable::kernels_of(std::size_t unit) const {
  const DecisionUnits::Unit& about = units_.at(unit);
  if (!about.operation.valid()) return {};
  std::vector<GroupId> kernels = features_.kernels().kernels_near(about.operation);
  if (about.reader.valid()) kernels.push_back(features_.plan().group(about.reader));
  return distinct(std::move(kernels));
}

void CandidateTable::judge(std::span<const std::uint32_t> units) {
  for (const std::uint32_t unit : units)
    for (std::uint32_t option = 0; option < units_.at(unit).options; ++option)
      states_[first_[unit] + option] = State::decided;
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
  most = std::min(most, entries.size());
  const auto before = [&](std::uint32_t one, std::uint32_t other) {
    const float a = by == AdvantageOutput::advantage ? advantages_[one] : -magnitudes_[one];
    const float b = by == AdvantageOutput::advantage ? advantages_[other] : -magnitudes_[other];
    return a < b || (a == b && one < other);
  };
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(entries.begin(), middle, entries.end(), before);
  entries.resize(most);
  std::ranges::sort(entries, before);
  return entries;
}

std::size_t CandidateTable::open_count() const {
  return static_cast<std::size_t>(std::ranges::count(states_, State::open));
}

std::vector<std::uint32_t> CandidateTable::apart(std::span<const std::uint32_t> entries) const {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint8_t> taken(features_.plan().group_count());
  for (const std::uint32_t entry : entries) {
    const std::vector<GroupId> kernels = kernels_of(candidates_[entry].unit);
    if (std::ranges::any_of(kernels, [&](GroupId kernel) { return taken[kernel.index()] != 0; })) continue;
    for (const GroupId kernel : kernels) taken[kernel.index()] = 1;
    kept.push_back(entry);
  }
  return kept;
}

}  // namespace hone
