#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/timer.h"
#include "plan/machine/processor.h"

namespace hone {
namespace {

// Keeps results alive, so that the loops below are not optimised away.
std::atomic<double> sink{0};

/// Multiply-adds on twelve independent vectors, enough to keep two units of four cycles' latency busy.
template <class T, std::size_t kBytes>
[[gnu::always_inline]] inline void multiply_add(std::size_t rounds) {
  using Vector [[gnu::vector_size(kBytes)]] = T;
  constexpr std::size_t kVectors = 12;
  Vector sums[kVectors] = {};
  const Vector factor = Vector{} + T(0.5), term = Vector{} + T(1);
  for (std::size_t i = 0; i < rounds; ++i)
    for (Vector& sum : sums) sum = sum * factor + term;
  double total = 0;
  for (const Vector& sum : sums) total += sum[0];
  sink.store(total, std::memory_order_relaxed);
}

/// A product of square matrices, as the inner part of a good library computes it: four rows by two vectors of the
/// result at a time, kept in registers. `size` is a multiple of 32.
struct Product {
  const float* left = nullptr;
  const float* right = nullptr;
  float* result = nullptr;
  std::size_t size = 0;
};
template <std::size_t kBytes>
[[gnu::always_inline]] inline void multiply_matrices(const Product& product) {
  using Vector [[gnu::vector_size(kBytes)]] = float;
  constexpr std::size_t kRows = 4, kColumns = 2, kLanes = kBytes / sizeof(float);
  const std::size_t size = product.size;
  for (std::size_t row = 0; row < size; row += kRows) {
    for (std::size_t column = 0; column < size; column += kColumns * kLanes) {
      Vector sums[kRows][kColumns] = {};
      for (std::size_t k = 0; k < size; ++k) {
        Vector right[kColumns];
        std::memcpy(right, product.right + k * size + column, sizeof(right));
        for (std::size_t r = 0; r < kRows; ++r)
          for (std::size_t c = 0; c < kColumns; ++c) sums[r][c] += product.left[(row + r) * size + k] * right[c];
      }
      for (std::size_t r = 0; r < kRows; ++r)
        std::memcpy(product.result + (row + r) * size + column, sums[r], sizeof(sums[r]));
    }
  }
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f")]] void multiply_add_512(std::size_t rounds) {
  multiply_add<T, 64>(rounds);
}
template <class T>
[[gnu::target("avx2,fma")]] void multiply_add_256(std::size_t rounds) {
  multiply_add<T, 32>(rounds);
}
[[gnu::target("avx512f")]] void multiply_matrices_512(const Product& product) { multiply_matrices<64>(product); }
[[gnu::target("avx2,fma")]] void multiply_matrices_256(const Product& product) { multiply_matrices<32>(product); }
#endif
template <class T>
void multiply_add_128(std::size_t rounds) {
  multiply_add<T, 16>(rounds);
}
void multiply_matrices_128(const Product& product) { multiply_matrices<16>(product); }

template <class T>
auto multiply_add_for(std::size_t vector_bits) {
#if defined(__x86_64__)
  if (vector_bits == 512) return &multiply_add_512<T>;
  if (vector_bits == 256) return &multiply_add_256<T>;
#endif
  return &multiply_add_128<T>;
}

auto multiply_matrices_for(std::size_t vector_bits) {
#if defined(__x86_64__)
  if (vector_bits == 512) return &multiply_matrices_512;
  if (vector_bits == 256) return &multiply_matrices_256;
#endif
  return &multiply_matrices_128;
}

/// Shortest of several runs of `work(thread)` on all threads at once.
double shortest_seconds(std::size_t threads, const std::function<void(std::size_t)>& work) {
  constexpr int kRuns = 4;
  double best = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const Timer timer;
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
    others.clear();
    best = std::min(best, timer.seconds());
  }
  return best;
}

/// Operations a second of multiply-adds in registers.
template <class T>
double measure_flops(const Processor& processor, double thoroughness) {
  const auto rounds = static_cast<std::size_t>(4e6 * thoroughness) + 1;
  const auto loop = multiply_add_for<T>(processor.vector_bits);
  const double seconds = shortest_seconds(processor.threads, [&](std::size_t) { loop(rounds); });
  const auto lanes = static_cast<double>(processor.vector_bits / 8 / sizeof(T));
  return 2.0 * 12 * lanes * static_cast<double>(rounds * processor.threads) / seconds;
}

/// What share of `peak` products of matrices reach, by their operations; each thread works on one of its own.
EfficiencyCurve fit_products(const Processor& processor, double peak, double thoroughness) {
  const auto multiply = multiply_matrices_for(processor.vector_bits);
  std::vector<EfficiencyCurve::Point> points;
  for (const std::size_t size : {32, 64, 128, 256, 512}) {
    const auto flops = 2.0 * static_cast<double>(size * size * size);
    const auto repeats = static_cast<std::size_t>(1e9 * thoroughness / flops) + 1;
    std::vector<std::vector<float>> operands(processor.threads, std::vector<float>(size * size, 1)), results = operands;
    const double seconds = shortest_seconds(processor.threads, [&](std::size_t thread) {
      const float* operand = operands[thread].data();
      for (std::size_t i = 0; i < repeats; ++i) multiply({operand, operand, results[thread].data(), size});
    });
    sink.store(results[0][0], std::memory_order_relaxed);
    const auto threads = static_cast<double>(processor.threads);
    points.push_back({flops * threads, flops * threads * static_cast<double>(repeats) / seconds / peak});
  }
  return EfficiencyCurve(std::move(points));
}

/// A loop over arrays: how many bytes it moves an element, and the loop.
struct Stream {
  double bytes = 0;
  float (*run)(const float* from, float* to, std::size_t count) = nullptr;
};

// Blocks of sixteen and arrays that do not overlap: what a compiler needs to see to use its vectors.
constexpr Stream kAdd{3 * sizeof(float), [](const float* __restrict from, float* __restrict to, std::size_t count) {
                        for (std::size_t i = 0; i + 16 <= count; i += 16)
                          for (std::size_t lane = 0; lane < 16; ++lane) to[i + lane] += from[i + lane];
                        return to[0];
                      }};
constexpr Stream kCopy{2 * sizeof(float), [](const float* from, float* to, std::size_t count) {
                         std::copy_n(from, count, to);
                         return to[0];
                       }};
constexpr Stream kSum{sizeof(float), [](const float* from, float*, std::size_t count) {
                        float sums[16] = {};  // independent, so that additions need not wait for one another
                        for (std::size_t i = 0; i + 16 <= count; i += 16)
                          for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += from[i + lane];
                        return sums[0];
                      }};

/// Bytes a second of a loop that moves `bytes` in all, spread over the threads.
double measure_memory_rate(const Processor& processor, const Stream& stream, double bytes, double thoroughness) {
  const auto threads = static_cast<double>(processor.threads);
  const auto count = static_cast<std::size_t>(bytes / stream.bytes / threads) + 1;
  const double round = stream.bytes * static_cast<double>(count);
  const auto repeats = static_cast<std::size_t>(6e7 * thoroughness / round) + 1;
  std::vector<std::vector<float>> from(processor.threads, std::vector<float>(count, 1)), to = from;
  const double seconds = shortest_seconds(processor.threads, [&](std::size_t thread) {
    for (std::size_t repeat = 0; repeat < repeats; ++repeat)
      sink.store(stream.run(from[thread].data(), to[thread].data(), count), std::memory_order_relaxed);
  });
  return round * static_cast<double>(repeats) * threads / seconds;
}

EfficiencyCurve fit_stream(const Processor& processor, const Stream& stream, double peak, double thoroughness) {
  std::vector<EfficiencyCurve::Point> points;
  for (double bytes = 3 << 13; bytes < 2e8 * thoroughness + 2e7; bytes *= 8)
    points.push_back({bytes, measure_memory_rate(processor, stream, bytes, thoroughness) / peak});
  return EfficiencyCurve(std::move(points));
}

/// Time from handing a task to a sleeping thread until it has run.
double measure_launch() {
  constexpr int kTasks = 2000;
  std::mutex mutex;
  std::condition_variable changed;
  int given = 0, done = 0;
  std::jthread worker([&] {
    std::unique_lock lock(mutex);
    while (done < kTasks) {
      changed.wait(lock, [&] { return given > done; });
      ++done;
      changed.notify_all();
    }
  });
  const Timer timer;
  std::unique_lock lock(mutex);
  for (int task = 1; task <= kTasks; ++task) {
    given = task;
    changed.notify_all();
    changed.wait(lock, [&] { return done == task; });
  }
  lock.unlock();
  return timer.seconds() / kTasks;
}

}  // namespace

DeviceKind calibrate_device(const Processor& processor, double thoroughness) {
  DeviceKind kind = estimate_device(processor);
  kind.flops = {{ElementType::float32, measure_flops<float>(processor, thoroughness)},
                {ElementType::float64, measure_flops<double>(processor, thoroughness)}};
  kind.bytes_per_second = measure_memory_rate(processor, kAdd, 2e8 * thoroughness + 2e7, thoroughness);
  kind.launch_seconds = measure_launch();
  const auto keep = [&](auto& curves, OperationClass operation_class, EfficiencyCurve curve) {
    curves[static_cast<std::size_t>(operation_class)] = std::move(curve);
    kind.is_measured[static_cast<std::size_t>(operation_class)] = true;
  };
  keep(kind.flops_efficiency, OperationClass::matmul,
       fit_products(processor, kind.peak_flops(ElementType::float32), thoroughness));
  const std::pair<OperationClass, Stream> streams[] = {
      {OperationClass::pointwise, kAdd}, {OperationClass::reduction, kSum}, {OperationClass::movement, kCopy}};
  for (const auto& [operation_class, stream] : streams)
    keep(kind.bytes_efficiency, operation_class, fit_stream(processor, stream, kind.bytes_per_second, thoroughness));
  return kind;
}

}  // namespace hone
