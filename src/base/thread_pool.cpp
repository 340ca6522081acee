#include "base/thread_pool.h"

namespace hone {

ThreadPool::ThreadPool(std::size_t workers) {
  for (std::size_t worker = 1; worker < workers; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(const Loop& loop) {
  {
    const std::lock_guard lock(mutex_);
    loop_ = loop;
    next_ = 0;
    busy_ = threads_.size();
    ++round_;
  }
  begin_.notify_all();
  take_part(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadPool::serve(std::size_t worker) {
  for (std::size_t seen = 0;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    take_part(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) end_.notify_one();
  }
}

void ThreadPool::take_part(std::size_t worker) {
  for (std::size_t i = next_++; i < loop_.count; i = next_++) loop_.call(loop_.body, worker, i);
}

}  // namespace hone
