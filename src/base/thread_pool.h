#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hone {

/// Threads that share out loops. The caller works along as worker 0, so a pool of one starts no thread.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t workers() const { return threads_.size() + 1; }

  /// Calls body(worker, i) for every i below `count`, in any order, and returns when all calls have; allocates nothing.
  /// `body` must not throw.
  template <class Body>
  void for_each(std::size_t count, Body&& body) {
    run({.count = count, .body = std::addressof(body), .call = [](void* context, std::size_t worker, std::size_t i) {
           (*static_cast<std::remove_reference_t<Body>*>(context))(worker, i);
         }});
  }

 private:
  struct Loop {
    std::size_t count = 0;
    void* body = nullptr;
    void (*call)(void*, std::size_t, std::size_t) = nullptr;
  };

  void run(const Loop& loop);
  void serve(std::size_t worker);
  void take_part(std::size_t worker);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  Loop loop_;
  std::atomic<std::size_t> next_ = 0;
  std::size_t round_ = 0;  // counts loops, so that a worker knows a new one
  std::size_t busy_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hone
