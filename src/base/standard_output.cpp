#include "base/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/error.h"

namespace hone {
namespace {

int claimed = -1;

}  // namespace

bool means_standard_output(const std::filesystem::path& name) { return name == "-" || name == "/dev/stdout"; }

void claim_standard_output() {
  if (claimed >= 0) fail_usage("only one output can go to standard output; give the other one a file");
  std::fflush(stdout);
  claimed = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (claimed < 0) fail_usage("there is no standard output to write to; give -o a file");
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

int standard_output() { return claimed >= 0 ? claimed : STDOUT_FILENO; }

}  // namespace hone
