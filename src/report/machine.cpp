#include "zerolab/report/machine.hpp"

#include <fmt/ranges.h>
#include <netdb.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "zerolab/comm/communicator.hpp"

namespace zerolab {

namespace {

std::string own_maps() {
  std::ifstream in("/proc/self/maps");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Paths of the files in the text of /proc/…/maps, each once.
std::set<std::filesystem::path> mapped_files(const std::string& maps) {
  std::set<std::filesystem::path> files;
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos) files.insert(line.substr(path));
  }
  return files;
}

bool is_segment(const std::string& file) {
  constexpr std::array<std::string_view, 4> names{"vader_segment", "sm_segment", "mpich_shar",
                                                  "ucx_shm"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return file.starts_with(name); });
}

std::string host_of_system() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

bool resolves(const std::string& host) {
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

std::optional<std::uint64_t> free_bytes(const std::string& folder) {
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) != 0) return std::nullopt;
  return std::uint64_t{system.f_bavail} * system.f_frsize;
}

/// Where MPI libraries put shared segments when nothing is mapped yet.
std::string usual_segment_folder() {
  std::error_code none;
  if (std::filesystem::is_directory("/dev/shm", none)) return "/dev/shm";
  return std::filesystem::temp_directory_path(none).string();
}

bool in_path(const std::string& program, const Environment& environment) {
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

std::string launcher_of(const Environment& environment) {
  const auto set = [&](const char* variable) { return !environment(variable).empty(); };
  if (set("SMPI_GLOBAL_SIZE")) return "smpirun, on a simulated platform";
  if (set("OMPI_COMM_WORLD_SIZE")) return "Open MPI's mpirun";
  if (set("SLURM_PROCID")) return "Slurm's srun";
  if (set("HYDI_CONTROL_FD")) return "Hydra (MPICH's mpiexec)";
  if (set("PMIX_RANK")) return "a launcher that speaks PMIx";
  if (set("PMI_RANK")) return "a launcher that speaks PMI";
  return "none: started alone";
}

std::string transport_in(const std::string& maps) {
  std::map<std::string, std::set<std::string>> components;
  for (const auto& file : mapped_files(maps)) {
    const std::string name = file.stem().string();  // mca_btl_vader
    for (const char* kind : {"pml", "mtl", "btl"}) {
      const std::string start = fmt::format("mca_{}_", kind);
      if (name.starts_with(start) && file.extension() == ".so" && name != "mca_pml_monitoring")
        components[kind].insert(name.substr(start.size()));
    }
  }
  std::vector<std::string> words;
  for (const char* kind : {"pml", "mtl", "btl"})
    if (components.contains(kind))
      words.push_back(fmt::format("{} {}", kind, fmt::join(components[kind], " ")));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string segment_folder_in(const std::string& maps) {
  for (const auto& file : mapped_files(maps))
    if (is_segment(file.filename().string())) return file.parent_path().string();
  return {};
}

Machine look_around(const Environment& environment) {
  Machine machine;
  machine.root = geteuid() == 0;
  machine.open_mpi = mpi_library().starts_with("Open MPI");
  machine.cores = static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  machine.usable_cores = std::max(std::thread::hardware_concurrency(), 1U);
  machine.host = host_of_system();
  machine.host_resolves = resolves(machine.host);
  const std::string maps = own_maps();
  machine.transport = machine.open_mpi ? transport_in(maps) : mpi_device();
  machine.shared_memory_folder = segment_folder_in(maps);
  if (machine.shared_memory_folder.empty()) machine.shared_memory_folder = usual_segment_folder();
  machine.shared_memory_free = free_bytes(machine.shared_memory_folder);
  machine.attach_switched_off = environment("OMPI_MCA_btl_vader_single_copy_mechanism") == "none" ||
                                environment("OMPI_MCA_smsc").find("^cma") != std::string::npos ||
                                environment("OMPI_MCA_smsc") == "none";
  machine.simgrid = in_path("smpirun", environment);
  return machine;
}

}  // namespace zerolab
