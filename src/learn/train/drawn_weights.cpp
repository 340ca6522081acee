#include "learn/train/drawn_weights.h"

#include <omp.h>

#include <cmath>

namespace hone::learn {

void DrawnWeights::draw(const std::string& name, at::IntArrayRef sizes, double spread) {
  torch::Tensor tensor = torch::empty(sizes, torch::kFloat32);
  float* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) values[i] = static_cast<float>(rng_.uniform(-spread, spread));
  all_[name] = tensor.set_requires_grad(true);
}

void DrawnWeights::add(const std::string& name, std::int64_t inputs, std::int64_t outputs) {
  draw(name, {inputs, outputs}, 1 / std::sqrt(static_cast<double>(inputs)));
  draw(name + "_bias", {outputs}, 0);
}

void DrawnWeights::add_lstm(const std::string& name, std::int64_t inputs, std::int64_t width) {
  const double spread = 1 / std::sqrt(static_cast<double>(width));
  draw(name + "_input", {4 * width, inputs}, spread);
  draw(name + "_hidden", {4 * width, width}, spread);
  draw(name + "_input_bias", {4 * width}, spread);
  draw(name + "_hidden_bias", {4 * width}, spread);
}

torch::Tensor DrawnWeights::map(const std::string& name, const torch::Tensor& rows) const {
  return torch::matmul(rows, at(name)) + at(name + "_bias");
}

std::vector<torch::Tensor> DrawnWeights::lstm(const std::string& name) const {
  return {at(name + "_input"), at(name + "_hidden"), at(name + "_input_bias"), at(name + "_hidden_bias")};
}

OneThread::OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
OneThread::~OneThread() { omp_set_num_threads(before_); }

std::vector<std::int64_t> drawn_columns(const torch::Tensor& log_chances, Rng& rng) {
  const torch::Tensor chances = log_chances.detach().exp().contiguous();
  const float* row = chances.data_ptr<float>();
  const std::int64_t columns = chances.size(1);
  std::vector<std::int64_t> drawn;
  drawn.reserve(static_cast<std::size_t>(chances.size(0)));
  for (std::int64_t i = 0; i < chances.size(0); ++i, row += columns) {
    double lot = rng.uniform();
    std::int64_t column = 0;
    while (column + 1 < columns && lot >= row[column]) lot -= row[column++];
    drawn.push_back(column);
  }
  return drawn;
}

}  // namespace hone::learn
