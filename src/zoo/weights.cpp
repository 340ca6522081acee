#include "zoo/weights.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/error.h"

namespace hone::zoo {

Tensor lazy_zeros(ElementType type, Dims dims) {
  const auto count = static_cast<std::size_t>(element_count(dims));
  const std::size_t size = count * static_cast<std::size_t>(bit_width(type)) / 8;
  if (size < 4096) return Tensor::zeros(type, std::move(dims));
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail("out of address space for a tensor of {} elements of {}", count, name_of(type));
  const std::shared_ptr<const void> owner(memory, [size](void* mapped) { munmap(mapped, size); });
  return Tensor::view(type, std::move(dims), {static_cast<const std::byte*>(memory), size}, owner);
}

Tensor random_uniform(ElementType type, Dims dims, double bound, Rng rng) {
  Tensor tensor = Tensor::zeros(type, std::move(dims));
  dispatch_float(type, [&](auto zero) {
    using T = decltype(zero);
    // 24 random bits are all a float can hold; one draw serves two elements.
    const double unit = bound * 0x1.0p-23;
    const auto element = [&](std::uint64_t bits) {
      return static_cast<T>(static_cast<float>(unit * (static_cast<double>(bits & 0xFFFFFF) - 0x1.0p23)));
    };
    const std::span<T> elements = tensor.template write<T>();
    for (std::size_t i = 0; i < elements.size(); i += 2) {
      const std::uint64_t bits = rng.next();
      elements[i] = element(bits);
      if (i + 1 < elements.size()) elements[i + 1] = element(bits >> 32);
    }
  });
  return tensor;
}

Tensor filled(ElementType type, Dims dims, double value) {
  Tensor tensor = Tensor::zeros(type, std::move(dims));
  for (std::size_t i = 0; i < tensor.count(); ++i) tensor.set_number(i, value);
  return tensor;
}

}  // namespace hone::zoo
