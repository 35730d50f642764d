#include "zerolab/comm/wire_counter.hpp"

#include <array>
#include <numeric>

#include "zerolab/core/buffer.hpp"

#ifdef OPEN_MPI
#include <dlfcn.h>
#endif

namespace zerolab {

#ifdef OPEN_MPI

namespace {

constexpr const char* variable_name = "pml_monitoring_messages_size";

/// The variable's number among MPI_T's, or -1. One 64-bit number for each rank of MPI_COMM_WORLD.
int find_variable() {
  int variables = 0;
  MPI_T_pvar_get_num(&variables);
  for (int i = 0; i < variables; ++i) {
    std::array<char, 256> name{}, description{};
    int name_size = 256, description_size = 256, verbosity = 0, kind = 0, bind = 0;
    int read_only = 0, continuous = 0, atomic = 0, width = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values{};
    if (MPI_T_pvar_get_info(i, name.data(), &name_size, &verbosity, &kind, &type, &values,
                            description.data(), &description_size, &bind, &read_only, &continuous,
                            &atomic) != MPI_SUCCESS)
      continue;  // its component is gone
    if (name.data() != std::string(variable_name) || bind != MPI_T_BIND_MPI_COMM) continue;
    MPI_Type_size(type, &width);
    return width == sizeof(std::uint64_t) ? i : -1;
  }
  return -1;
}

/// Open MPI 4 strikes the variable off its list when MPI_Init has chosen where messages go,
/// although the component goes on counting; its own function enters it again.
void enter_variable_again() {
#if OMPI_MAJOR_VERSION == 4
  for (const char* library :
       {"libmca_common_monitoring.so.50", "libmca_common_monitoring.50.dylib"}) {
    void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    void* found = dlsym(loaded, "mca_common_monitoring_register");
    if (found != nullptr) reinterpret_cast<void (*)(void*)>(found)(nullptr);
    dlclose(loaded);  // the component holds it
  }
#endif
}

}  // namespace

struct WireCounter::Variable {
  MPI_T_pvar_session session{};
  MPI_T_pvar_handle handle{};
  int numbers = 0;
  bool open = false;

  Variable() {
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    int index = find_variable();
    if (index < 0) {
      enter_variable_again();
      index = find_variable();
    }
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_session_create(&session);
    open = index >= 0 &&
           MPI_T_pvar_handle_alloc(session, index, &world, &handle, &numbers) == MPI_SUCCESS;
    if (open) MPI_T_pvar_start(session, handle);  // fails for one that always runs: all the same
  }
  ~Variable() {
    if (open) MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  bool read(std::vector<std::uint64_t>& bytes) const {
    return open && static_cast<std::size_t>(numbers) == bytes.size() &&
           MPI_T_pvar_read(session, handle, bytes.data()) == MPI_SUCCESS;
  }
};

#else

struct WireCounter::Variable {
  bool read(std::vector<std::uint64_t>&) const { return false; }
};

#endif

WireCounter::WireCounter(Communicator& comm)
    : variable_(std::make_unique<Variable>()), rank_(comm.rank()), size_(comm.size()) {
  const auto outside = comm.outside_training();
  std::vector<std::uint64_t> bytes(size_);
  const bool readable = comm.maximum(variable_->read(bytes) ? 0 : 1) == 0;
  const bool right = comm.maximum(readable && counts(comm) ? 0 : 1) == 0;
  if (!readable) {
    fault_ = "this MPI has no counter that can be read (Open MPI has one)";
  } else if (!right) {
    fault_ = "self-test: known messages were not counted as sent";
  }
}

WireCounter::~WireCounter() = default;

std::uint64_t WireCounter::sent() const {
  std::vector<std::uint64_t> bytes(size_);
  variable_->read(bytes);
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}) - bytes[rank_];
}

/// An all-to-all sends what it is given, by whatever algorithm.
bool WireCounter::counts(Communicator& comm) const {
  const std::size_t others = size_ - 1;
  const std::vector<char> to_next(10007 + rank_);
  std::vector<char> received(10007 + (rank_ + others) % size_);
  std::uint64_t before = sent();
  comm.pass_on(to_next, received);
  bool right = sent() - before == (size_ > 1 ? to_next.size() : 0);

  constexpr std::size_t each = 1001;
  MemoryLedger memory;
  Buffer full(memory, Category::buffers, NumberType::fp32, each * size_),
      pieces(memory, Category::buffers, NumberType::fp32, each * size_);
  full.fill_zero();
  before = sent();
  comm.all_to_all(full, 0, each, pieces);
  right &= sent() - before == others * each * sizeof(float);
  return right;
}

}  // namespace zerolab
