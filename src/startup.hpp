#pragma once

#include <cstddef>
#include <string>

// What a process of zerolab sees to before it does anything else. The only place that reads the
// environment.

namespace zerolab {

/// To be called first in main, before MPI_Init and before any thread exists.
///   - A fast OpenBLAS kernel: where the library took one of the pre-AVX kernels although CPU and
///   system
///     have AVX2 or AVX-512 (packages older than the CPU do), the program starts itself anew, once,
///     with OPENBLAS_CORETYPE set; the products are then checked, and should they be wrong, it
///     starts anew with the library's own choice. A kernel the user chose stays. No restart under a
///     debugger, valgrind or SMPI.
///   - One BLAS thread, unless the user asked for another number by one of OpenBLAS's own
///   variables.
///   - glibc keeps freed memory: large MPI reductions otherwise map and unmap their scratch every
///   call.
void prepare_process(int argc, char** argv);

/// To be called before MPI_Init: has Open MPI's monitoring component count what this rank sends and
/// write it to a file at MPI_Finalize, in a folder that is yet to be made. Returns the file's name,
/// without the ending that the component adds. Nothing happens under another MPI.
std::string count_wire_until_finalize();

/// The same, but the count is read while the program runs (WireCounter).
void count_wire_while_running();

/// An environment variable; empty when not set.
std::string environment(const char* variable);

/// The kernel to choose where OpenBLAS runs one from before AVX2 on a newer CPU, else empty.
std::string faster_blas_kernel();

/// The kernel and who chose it, in one line.
std::string blas_kernel_note();

/// What is wrong when mpirun has started several processes (as its variables say) that each are
/// alone: it belongs to another MPI than the program. Else empty.
std::string launcher_mismatch(std::size_t ranks);

/// One line for rank 0 when the user asked for several BLAS threads, else empty.
std::string blas_thread_warning();

}  // namespace zerolab
