#include "run/native/fill_step.h"

#include <algorithm>
#include <cstring>

#include "run/native/threads.h"

namespace hone::native {
namespace {

class FillStep final : public Step {
 public:
  FillStep(ArrayPlace place, std::size_t bytes, ArrayPlace element, std::size_t element_bytes)
      : place_(place), count_(bytes / element_bytes), element_(element), element_bytes_(element_bytes) {
    shares_ = shares_of(static_cast<double>(bytes) * kCopiedByteNanoseconds, static_cast<std::int64_t>(count_));
  }

  void run(const RunMemory& memory) const override {
    auto* to = static_cast<std::byte*>(memory.at(place_));
    const std::span element(static_cast<const std::byte*>(memory.at(element_)), element_bytes_);
    on_threads(shares_, [&](std::size_t share) {
      const PartRange elements = range_of(static_cast<std::int64_t>(count_), share, shares_);
      fill(to + static_cast<std::size_t>(elements.first) * element_bytes_,
           static_cast<std::size_t>(elements.last - elements.first), element);
    });
  }
  std::vector<ArrayId> reads() const override { return {element_.array}; }
  std::vector<ArrayId> writes() const override { return {place_.array}; }

 private:
  static void fill(std::byte* to, std::size_t count, std::span<const std::byte> element) {
    if (std::ranges::all_of(element, [](std::byte byte) { return byte == std::byte{0}; })) {
      std::memset(to, 0, count * element.size());
      return;
    }
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * element.size(), element.data(), element.size());
  }

  ArrayPlace place_;
  std::size_t count_;
  ArrayPlace element_;
  std::size_t element_bytes_;
  std::size_t shares_ = 1;
};

}  // namespace

std::unique_ptr<Step> fill_step(ArrayPlace place, std::size_t bytes, ArrayPlace element, std::size_t element_bytes) {
  return std::make_unique<FillStep>(place, bytes, element, element_bytes);
}

}  // namespace hone::native
