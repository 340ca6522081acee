#include "run/native/product_step.h"

#include <limits>

#include "run/native/threads.h"

namespace hone::native {
namespace {

using Kind = ProductFinish::Kind;

std::optional<ProductFinish> function_finish(const Epilogue& step) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (step.function) {
    case dnnl::algorithm::eltwise_relu:
      if (step.alpha != 0) return ProductFinish{.kind = Kind::leak, .alpha = step.alpha};
      return ProductFinish{.kind = Kind::bound, .alpha = 0, .beta = kInfinity};
    case dnnl::algorithm::eltwise_clip:
      return ProductFinish{.kind = Kind::bound, .alpha = step.alpha, .beta = step.beta};
    case dnnl::algorithm::eltwise_linear:
      return ProductFinish{.kind = Kind::scale, .alpha = step.alpha, .beta = step.beta};
    case dnnl::algorithm::eltwise_gelu_erf: return ProductFinish{.kind = Kind::gelu};
    case dnnl::algorithm::eltwise_gelu_tanh: return ProductFinish{.kind = Kind::gelu_tanh};
    case dnnl::algorithm::eltwise_logistic: return ProductFinish{.kind = Kind::sigmoid};
    case dnnl::algorithm::eltwise_tanh: return ProductFinish{.kind = Kind::tanh};
    default: return std::nullopt;
  }
}

}  // namespace

ProductStep::ProductStep(std::shared_ptr<const PackedProduct> product, ArrayPlace a, ArrayPlace c,
                         std::vector<Finish> finishes)
    : product_(std::move(product)), a_(a), c_(c), finishes_(std::move(finishes)) {
  HONE_CHECK(finishes_.size() <= kMostFinishes, "{} steps after a product", finishes_.size());
  shares_ = shares_of(product_->nanoseconds(), product_->parts());
}

void ProductStep::run(const RunMemory& memory) const {
  ProductFinish finishes[kMostFinishes];
  for (std::size_t i = 0; i < finishes_.size(); ++i) {
    finishes[i] = finishes_[i].step;
    if (finishes[i].kind == Kind::add) finishes[i].operand = static_cast<const float*>(memory.at(finishes_[i].operand));
  }
  const auto* a = static_cast<const float*>(memory.at(a_));
  auto* c = static_cast<float*>(memory.at(c_));
  on_threads(shares_, [&](std::size_t share) {
    const PartRange parts = range_of(product_->parts(), share, shares_);
    product_->run(a, c, {finishes, finishes_.size()}, parts.first, parts.last);
  });
}

std::vector<ArrayId> ProductStep::reads() const {
  std::vector<ArrayId> read{a_.array};
  for (const Finish& finish : finishes_)
    if (finish.step.kind == Kind::add) read.push_back(finish.operand.array);
  return read;
}

std::optional<std::vector<ProductStep::Finish>> product_finishes(std::span<const Epilogue> epilogue, std::int64_t row,
                                                                 std::int64_t block) {
  std::vector<ProductStep::Finish> finishes;
  for (const Epilogue& step : epilogue) {
    if (!finishes.empty() && finishes.back().step.is_function()) return std::nullopt;
    if (step.kind == Epilogue::Kind::add) {
      finishes.push_back({.step = {.kind = Kind::add, .row = row, .block = block}, .operand = step.operand});
      continue;
    }
    const auto function = function_finish(step);
    if (!function) return std::nullopt;
    finishes.push_back({.step = *function, .operand = {}});
  }
  if (finishes.size() > ProductStep::kMostFinishes) return std::nullopt;
  return finishes;
}

}  // namespace hone::native
