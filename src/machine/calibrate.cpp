#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "machine/processor.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

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

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f")]] void multiply_add_512(std::size_t rounds) {
  multiply_add<T, 64>(rounds);
}
template <class T>
[[gnu::target("avx2,fma")]] void multiply_add_256(std::size_t rounds) {
  multiply_add<T, 32>(rounds);
}
#endif
template <class T>
void multiply_add_128(std::size_t rounds) {
  multiply_add<T, 16>(rounds);
}

template <class T>
auto multiply_add_for(std::size_t vector_bits) {
#if defined(__x86_64__)
  if (vector_bits == 512) return &multiply_add_512<T>;
  if (vector_bits == 256) return &multiply_add_256<T>;
#endif
  return &multiply_add_128<T>;
}

/// Shortest of several runs of `work(thread)` on all threads at once.
double shortest_seconds(std::size_t threads, const std::function<void(std::size_t)>& work) {
  constexpr int kRuns = 4;
  double best = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const Clock::time_point start = Clock::now();
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
    others.clear();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

template <class T>
double measure_flops(const Processor& processor) {
  constexpr std::size_t kRounds = 4'000'000;
  const auto loop = multiply_add_for<T>(processor.vector_bits);
  const double seconds = shortest_seconds(processor.threads, [&](std::size_t) { loop(kRounds); });
  const auto lanes = static_cast<double>(processor.vector_bits / 8 / sizeof(T));
  return 2.0 * 12 * lanes * double{kRounds} * static_cast<double>(processor.threads) / seconds;
}

/// Bytes a second of adding one array to another (two reads and a write), `bytes` in all.
double measure_memory_rate(const Processor& processor, std::size_t bytes) {
  constexpr std::size_t kMoved = std::size_t{1} << 28;  // by each thread, over all repeats
  const std::size_t count = std::max<std::size_t>(1, bytes / (3 * sizeof(float)) / processor.threads);
  const std::size_t repeats = std::max<std::size_t>(1, kMoved / (3 * sizeof(float) * count) / 4);
  std::vector<std::vector<float>> from(processor.threads, std::vector<float>(count, 1)), to = from;
  const double seconds = shortest_seconds(processor.threads, [&](std::size_t thread) {
    const float* a = from[thread].data();
    float* b = to[thread].data();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat)
      for (std::size_t i = 0; i < count; ++i) b[i] += a[i];
  });
  sink.store(to[0][0], std::memory_order_relaxed);
  return 3.0 * sizeof(float) * static_cast<double>(count * repeats * processor.threads) / seconds;
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
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex);
  for (int task = 1; task <= kTasks; ++task) {
    given = task;
    changed.notify_all();
    changed.wait(lock, [&] { return done == task; });
  }
  lock.unlock();
  return seconds_since(start) / kTasks;
}

}  // namespace

DeviceKind calibrate_device(const Processor& processor) {
  constexpr std::size_t kLargest = std::size_t{3} << 26;
  DeviceKind kind = estimate_device(processor);
  kind.flops = {{ElementType::float32, measure_flops<float>(processor)},
                {ElementType::float64, measure_flops<double>(processor)}};
  kind.bytes_per_second = measure_memory_rate(processor, kLargest);
  kind.launch_seconds = measure_launch();
  std::vector<EfficiencyCurve::Point> points;
  for (std::size_t bytes = std::size_t{3} << 13; bytes < kLargest; bytes *= 8)
    points.push_back({static_cast<double>(bytes), measure_memory_rate(processor, bytes) / kind.bytes_per_second});
  points.push_back({static_cast<double>(kLargest), 1});
  kind.bytes_efficiency[static_cast<std::size_t>(WorkClass::pointwise)] = EfficiencyCurve(std::move(points));
  return kind;
}

}  // namespace hone
