#include "formats/foreign/stg.h"

#include "base/error.h"
#include "base/text_file.h"
#include "base/word_reader.h"

namespace hone {
namespace {

struct StgTask {
  double seconds = 0;
  std::vector<std::size_t> predecessors;
};

std::vector<StgTask> read_tasks(std::string_view text, const std::string& file) {
  WordReader words(text, file);
  // A task takes at least three words, so the text bounds their number.
  const auto most = static_cast<std::int64_t>(text.size() / 2);
  const std::int64_t count = words.integer("the number of tasks", 0, most) + 2;
  std::vector<StgTask> tasks;
  for (std::int64_t i = 0; i < count; ++i) {
    words.integer("the number of the next task", i, i);
    StgTask task;
    task.seconds = words.amount("the time of a task");
    const std::int64_t predecessors = words.integer("how many predecessors a task has", 0, count - 1);
    for (std::int64_t k = 0; k < predecessors; ++k)
      task.predecessors.push_back(static_cast<std::size_t>(words.integer("a predecessor", 0, count - 1)));
    tasks.push_back(std::move(task));
  }
  if (!words.at_end()) {
    words.word("");
    words.refuse("expected nothing after the last task");
  }
  return tasks;
}

}  // namespace

Workload parse_stg(std::string_view text, const std::string& file) {
  const std::vector<StgTask> tasks = read_tasks(text, file);
  WorkloadBuilder builder(file);
  builder.set_device_kinds({"processor"});
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Buffer done;
    done.name = std::to_string(i);
    done.transfer_seconds = 0;
    builder.add_buffer(std::move(done));
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Operation operation;
    operation.name = std::to_string(i);
    operation.op = "task";
    operation.seconds = {tasks[i].seconds};
    std::vector<BufferId> inputs;
    for (const std::size_t predecessor : tasks[i].predecessors) inputs.emplace_back(predecessor);
    const BufferId output(i);
    builder.add_operation(std::move(operation), inputs, std::span(&output, 1));
  }
  return std::move(builder).build();
}

Workload read_stg(const std::filesystem::path& path) { return parse_stg(read_text_file(path).text, path.string()); }

}  // namespace hone
