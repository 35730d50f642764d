# How tests become entries of ctest.
# Time limits, in seconds: they only end what hangs. mpirun ends its ranks a minute before ctest ends mpirun.
set(limit_everyday 600)
set(limit_exhaustive 3600)
if(ZEROLAB_SANITIZE)
  set(limit_everyday 3600)
endif()

# zerolab_entry(NAME everyday|exhaustive RANKS): properties of a ctest entry. run_labs.sh starts ctest with
# twice as many slots as there are cores. An entry that computes takes two slots for each rank it starts, as far as there
# are cores. One that mostly waits, for a time limit or for mpirun to end a job, takes one slot; RANKS is 0 then.
function(zerolab_entry name size ranks)
  if(ranks GREATER cores)
    set(ranks ${cores})
  endif()
  if(ranks AND ZEROLAB_MPI STREQUAL "smpi")
    set(ranks 1)  # its ranks take turns in one process
  endif()
  math(EXPR slots "2 * ${ranks}")
  if(ranks EQUAL 0)
    set(slots 1)
  endif()
  set(environment OPENBLAS_NUM_THREADS=1 ZEROLAB_MPIRUN=${MPIEXEC_EXECUTABLE})
  if(size STREQUAL "exhaustive")
    list(APPEND environment ZEROLAB_EXHAUSTIVE=1)
    set_property(TEST ${name} APPEND PROPERTY LABELS exhaustive)
  endif()
  if(ZEROLAB_SANITIZE) # whole stacks: leaks.supp says why
    list(APPEND environment ASAN_OPTIONS=fast_unwind_on_malloc=0:malloc_context_size=60:detect_leaks=1
         LSAN_OPTIONS=print_suppressions=0:suppressions=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/sanitizers/leaks.supp
         UBSAN_OPTIONS=print_stacktrace=1)
  endif()
  math(EXPR cost "10 - ${slots}")  # what waits is started first
  set_tests_properties(${name} PROPERTIES PROCESSORS ${slots} COST ${cost} TIMEOUT ${limit_${size}}
                       SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()

# zerolab_test(stages NEEDS zerolab_report SOURCES stages/average_test.cpp …
#              [RANKS 1 2 3 4] [EXHAUSTIVE 8] [UNCHECKED])
# makes the program stages_test. With RANKS, mpirun starts it, and its entries are stages.npN. Without, it uses no
# MPI, and its entry is stages. EXHAUSTIVE adds the entries stages_full.npN: the same program with
# ZEROLAB_EXHAUSTIVE=1 in its environment. UNCHECKED leaves out the checker of MPI's rules.
function(zerolab_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNCHECKED" "" "SOURCES;NEEDS;RANKS;EXHAUSTIVE")
  if(NOT arg_RANKS AND ZEROLAB_MPI STREQUAL "smpi")
    return() # the other builds test it
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE zerolab_flags ${arg_NEEDS})
  if(NOT arg_RANKS)
    target_link_libraries(${name}_test PRIVATE GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name}_test)
    zerolab_entry(${name} everyday 1)
    # Whole stacks tell the MPI's leaks from ours. Here is no MPI, and they are slow.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT_MODIFICATION
                         "ASAN_OPTIONS=string_append::fast_unwind_on_malloc=1")
    return()
  endif()
  target_link_libraries(${name}_test PRIVATE zerolab_mpi_main)
  if(TARGET zerolab_mpi_checker AND NOT arg_UNCHECKED)
    target_link_libraries(${name}_test PRIVATE zerolab_mpi_checker)
  endif()
  if(ZEROLAB_MPI STREQUAL "mpich") # its ranks spin while they wait: with more of them than cores all is slow
    list(FILTER arg_RANKS EXCLUDE REGEX "[5-9]")
    list(FILTER arg_EXHAUSTIVE EXCLUDE REGEX "[5-9]")
  endif()
  set(ranks_of_everyday ${arg_RANKS})
  set(ranks_of_exhaustive ${arg_EXHAUSTIVE})
  set(entry_of_everyday ${name})
  set(entry_of_exhaustive ${name}_full)
  foreach(size everyday exhaustive)
    math(EXPR seconds "${limit_${size}} - 60")
    foreach(ranks IN LISTS ranks_of_${size})
      set(entry ${entry_of_${size}}.np${ranks})
      add_test(NAME ${entry} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/on_ranks.sh ${ranks} ${seconds}
                                     $<TARGET_FILE:${name}_test>)
      zerolab_entry(${entry} ${size} ${ranks})
    endforeach()
  endforeach()
endfunction()

# zerolab_script(kills program/kills.sh ARGUMENTS… [RANKS 1 2 3 4] [WAITS] [PROCESSES] [FULL | EXHAUSTIVE])
# makes an entry of a shell script in this folder. RANKS are its last arguments. WAITS: it mostly waits. PROCESSES:
# it kills, limits or restarts single ranks, or starts the program without mpirun. FULL adds the entry
# kills_full, which runs with ZEROLAB_EXHAUSTIVE=1 in its environment. EXHAUSTIVE: it is run only that way.
function(zerolab_script name script)
  cmake_parse_arguments(PARSE_ARGV 2 arg "WAITS;PROCESSES;FULL;EXHAUSTIVE" "" "RANKS")
  if(ZEROLAB_MPI STREQUAL "mpich")
    foreach(ranks IN LISTS arg_RANKS)
      if(ranks GREATER cores)
        list(REMOVE_ITEM arg_RANKS ${ranks})
      endif()
    endforeach()
  endif()
  set(ranks 1)  # what it starts on more ranks leaves the cores free in between
  if(arg_WAITS)
    set(ranks 0)
  endif()
  set(sizes everyday)
  if(arg_EXHAUSTIVE)
    set(sizes exhaustive)
  elseif(arg_FULL)
    set(sizes everyday exhaustive)
  endif()
  foreach(size IN LISTS sizes)
    set(entry ${name})
    if(arg_FULL AND size STREQUAL "exhaustive")
      set(entry ${name}_full)
    endif()
    if(arg_PROCESSES AND ZEROLAB_MPI STREQUAL "smpi")
      add_test(NAME ${entry} COMMAND bash -c "echo 'skipped: SMPI has no processes for ranks'; exit 77")
    else()
      add_test(NAME ${entry} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/${script}
                                     ${arg_UNPARSED_ARGUMENTS} ${arg_RANKS})
    endif()
    zerolab_entry(${entry} ${size} ${ranks})
  endforeach()
endfunction()

# Programs that only the exhaustive entries need.
add_custom_target(exhaustive)

# Entries that `run_labs.sh test` also runs with the other MPIs, and the programs that they need.
add_custom_target(any_mpi DEPENDS zerolab)
function(zerolab_any_mpi)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "ENTRIES;PROGRAMS")
  set_property(TEST ${arg_ENTRIES} APPEND PROPERTY LABELS any_mpi)
  if(arg_PROGRAMS)
    add_dependencies(any_mpi ${arg_PROGRAMS})
  endif()
endfunction()
