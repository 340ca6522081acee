#include "run/native/product_step.h"

#include <limits>
#include <map>

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
    case dnnl::algorithm::eltwise_hardswish:
      return ProductFinish{.kind = Kind::hard_swish, .alpha = 1.0F / 6, .beta = 0.5F};
    case dnnl::algorithm::eltwise_gelu_erf: return ProductFinish{.kind = Kind::gelu};
    case dnnl::algorithm::eltwise_gelu_tanh: return ProductFinish{.kind = Kind::gelu_tanh};
    case dnnl::algorithm::eltwise_logistic: return ProductFinish{.kind = Kind::sigmoid};
    case dnnl::algorithm::eltwise_swish:
      if (step.alpha == 1) return ProductFinish{.kind = Kind::swish};
      return std::nullopt;
    case dnnl::algorithm::eltwise_tanh: return ProductFinish{.kind = Kind::tanh};
    default: return std::nullopt;
  }
}

}  // namespace

ProductStep::ProductStep(std::shared_ptr<const PackedProduct> product, ArrayPlace a, ArrayPlace c,
                         std::vector<Finish> finishes)
    : product_(std::move(product)), a_(a), c_(c), finishes_(std::move(finishes)) {
  HONE_CHECK(finishes_.size() <= kMostFinishes, "{} steps after a product", finishes_.size());
  shares_ = shares_of(product_->tiles().nanoseconds(), product_->parts());
}

ResolvedFinishes::ResolvedFinishes(std::span<const ProductStep::Finish> finishes, const RunMemory& memory)
    : count(finishes.size()) {
  for (std::size_t i = 0; i < count; ++i) {
    all[i] = finishes[i].step;
    if (all[i].kind == Kind::add) all[i].operand = static_cast<const float*>(memory.at(finishes[i].operand));
  }
}

void ResolvedFinishes::move_by(std::int64_t elements) {
  for (std::size_t i = 0; i < count; ++i)
    if (all[i].kind == Kind::add) all[i].operand += elements;
}

void ProductStep::run(const RunMemory& memory) const {
  const ResolvedFinishes finishes(finishes_, memory);
  on_threads(shares_, [&](std::size_t share) {
    const PartRange parts = range_of(product_->parts(), share, shares_);
    TiledProduct::Operands operands{.a = static_cast<const float*>(memory.at(a_)),
                                    .c = static_cast<float*>(memory.at(c_)),
                                    .finishes = finishes.span()};
    if (next_ != nullptr)
      operands.next = next_->product_->first_weights(range_of(next_->product_->parts(), share, shares_).first);
    product_->run(operands, parts.first, parts.last);
  });
}

void link_products(const Program& program) {
  std::map<std::uint32_t, ProductStep*> last;  // by lane
  for (const auto& step : program.steps) {
    auto* const product = dynamic_cast<ProductStep*>(step.get());
    if (product == nullptr) continue;
    if (last.contains(step->lane)) last[step->lane]->set_next(*product);
    last[step->lane] = product;
  }
}

std::vector<ArrayId> added_arrays(std::span<const ProductStep::Finish> finishes) {
  std::vector<ArrayId> read;
  for (const ProductStep::Finish& finish : finishes)
    if (finish.step.kind == Kind::add) read.push_back(finish.operand.array);
  return read;
}

std::vector<ArrayId> ProductStep::reads() const {
  std::vector<ArrayId> read = added_arrays(finishes_);
  read.push_back(a_.array);
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
