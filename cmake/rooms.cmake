# Who may include whom: the table of DESIGN section 4, and the only copy of it in the build.
# CMakeLists.txt links the rooms by it; tests/tool/rooms.sh checks every #include against it, and reads
# these lines itself: keep each one on one line, "room_may_include(<room> <allowed>...)".
room_may_include(base)
room_may_include(model base)
room_may_include(explore model base)
room_may_include(detect model base)
room_may_include(trace model base)
room_may_include(script model base)
# The rooms of the runtime, from the lowest to the highest: each may include what is below it. hooks.h and parts.def, at their top, are contracts.
room_may_include(runtime/core base runtime/hooks.h runtime/parts.def)
room_may_include(runtime/program model explore base runtime/hooks.h runtime/core detect)
room_may_include(runtime/report model explore detect base runtime/hooks.h runtime/core runtime/program)
room_may_include(runtime/hooks model explore detect base runtime/hooks.h runtime/core runtime/program runtime/report)
room_may_include(runtime/ending model base runtime/hooks.h runtime/core runtime/program runtime/hooks)
room_may_include(runtime/signals model detect base runtime/hooks.h runtime/core runtime/program runtime/report runtime/hooks runtime/ending)
room_may_include(runtime/time model base runtime/core runtime/program runtime/hooks runtime/ending runtime/signals)
room_may_include(runtime/threads model base runtime/core runtime/program runtime/hooks runtime/ending runtime/signals runtime/time)
room_may_include(runtime/sync model base runtime/core runtime/program runtime/report runtime/hooks runtime/ending runtime/signals runtime/time runtime/threads)
room_may_include(runtime/gate base runtime/hooks.h runtime/core runtime/program runtime/hooks runtime/time runtime/threads)
room_may_include(runtime/descriptors model base runtime/core runtime/program runtime/report runtime/hooks runtime/ending runtime/signals runtime/time runtime/gate)
room_may_include(runtime/files model base runtime/core runtime/program runtime/hooks runtime/ending runtime/signals runtime/time runtime/gate runtime/descriptors)
room_may_include(runtime/process model base runtime/core runtime/program runtime/hooks runtime/ending runtime/signals runtime/time runtime/gate runtime/descriptors runtime/files)
room_may_include(runtime/channels model base runtime/core runtime/program runtime/hooks runtime/ending runtime/signals runtime/time runtime/gate runtime/descriptors runtime/files)
room_may_include(runtime/library model detect base runtime/hooks.h runtime/core runtime/program runtime/hooks runtime/ending runtime/signals runtime/time runtime/gate runtime/threads runtime/sync runtime/descriptors runtime/files runtime/process runtime/channels)
room_may_include(runtime/job cluster model explore detect base runtime/hooks.h runtime/parts.def runtime/core runtime/program runtime/report runtime/hooks runtime/ending runtime/signals runtime/time runtime/gate runtime/threads runtime/sync runtime/descriptors runtime/files runtime/process runtime/channels runtime/library)
room_may_include(runtime) # only contracts that include nothing
room_may_include(plain explore model base runtime/hooks.h) # of explore, only what the driver and the process agree on
room_may_include(instrument base runtime/hooks.h runtime/library/library.def) # what the pass and the runtime agree on, no other file of runtime
room_may_include(cluster explore trace model base)
room_may_include(containers) # compiled by raddle cc, for programs of C++
room_may_include(mpi) # a program of its own, which carries bytes
room_may_include(cli base model explore detect trace script instrument cluster) # all but runtime
