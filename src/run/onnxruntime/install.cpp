#include "run/onnxruntime/install.h"

#include "base/output_file.h"
#include "base/program.h"
#include "run/onnxruntime/library.h"

namespace hone::ort {
namespace {

constexpr const char* kPackage = "onnxruntime-node";
/// A registry that is out of reach must not be waited for; one that answers may be slow with 60 MB.
constexpr double kAnswerSeconds = 15, kDownloadSeconds = 900;

bool has_npm() { return find_program("npm") && find_program("node"); }

[[noreturn]] void fail_install(const std::string& why) {
  throw InputError("ONNX Runtime was not installed: " + why, ExitCode::backend_missing);
}

/// Asks npm's registry for the package, so that one that is out of reach is noticed at once.
void check_registry(const std::filesystem::path& folder) {
  const ProgramEnd end = run_program({"npm", "view", kPackage, "version", "--fetch-retries=0"}, folder, kAnswerSeconds);
  if (end.ran_over)
    fail_install(fmt::format("npm's registry did not answer within {:.0f} s; `{}` tries again", kAnswerSeconds,
                             kInstallCommand));
  if (end.status != 0) fail_install(fmt::format("npm's registry cannot be reached; `{}` tries again", kInstallCommand));
}

}  // namespace

std::string install_command() {
  return fmt::format("{}{}", has_npm() ? "" : "apt-get install npm && ", kInstallCommand);
}

std::string install() {
  if (!has_npm())
    fail_install(fmt::format("it comes from npm, which is not there; `{}` brings both", install_command()));
  const std::filesystem::path folder = install_folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_install(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
  check_registry(folder);
  OutputFile description(folder / "package.json");  // without one npm installs into the nearest folder above that has
  description.write("{\"private\": true}\n");
  description.commit();
  const ProgramEnd end =
      run_program({"npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", kPackage},
                  folder, kDownloadSeconds);
  if (end.ran_over) fail_install(fmt::format("npm did not end within {:.0f} minutes", kDownloadSeconds / 60));
  if (end.status != 0) fail_install(fmt::format("`npm install {}` ended with status {}", kPackage, end.status));
  return Library::load()->version();
}

}  // namespace hone::ort
