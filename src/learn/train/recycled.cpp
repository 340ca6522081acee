#include "learn/train/recycled.h"

#include <sys/mman.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

namespace hone::learn {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;      // a large page; what is smaller is not kept
constexpr std::size_t kMostKept = std::size_t{2} << 30;  // bytes of blocks that nobody uses
constexpr std::size_t kSizesPerOctave = 8;               // so that slightly different shapes use the same blocks

/// Blocks of memory that nobody uses, by size.
class Blocks {
 public:
  static Blocks& all() {
    static auto* blocks = new Blocks;  // never destroyed: tensors may live until the process ends
    return *blocks;
  }

  /// Bytes of the block that so many fit into.
  static std::size_t block_bytes(std::size_t bytes) {
    std::size_t step = kPage;
    while (step * kSizesPerOctave * 2 < bytes) step *= 2;
    return (bytes + step - 1) / step * step;
  }

  void* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    std::vector<void*>& free = free_[bytes];
    if (!free.empty()) {
      void* block = free.back();
      free.pop_back();
      kept_ -= bytes;
      return block;
    }
    void* block = std::aligned_alloc(kPage, bytes);
    if (block == nullptr) throw std::bad_alloc();
    ::madvise(block, bytes, MADV_HUGEPAGE);
    return block;
  }

  void give_back(void* block, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (kept_ + bytes > kMostKept) {
      std::free(block);
      return;
    }
    kept_ += bytes;
    free_[bytes].push_back(block);
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;
  std::size_t kept_ = 0;
};

}  // namespace

torch::Tensor recycled(at::IntArrayRef shape, const torch::TensorOptions& options) {
  std::size_t bytes = options.dtype().itemsize();
  for (const std::int64_t dim : shape) bytes *= static_cast<std::size_t>(dim);
  if (bytes < kPage || !options.device().is_cpu()) return torch::empty(shape, options);
  bytes = Blocks::block_bytes(bytes);
  void* block = Blocks::all().take(bytes);
  return torch::from_blob(
      block, shape, [bytes](void* used) { Blocks::all().give_back(used, bytes); }, options);
}

}  // namespace hone::learn
