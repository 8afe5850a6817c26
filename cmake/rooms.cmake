# Who may include whom: the table of DESIGN section 4, and the only copy of it in the build.
# CMakeLists.txt links the rooms by it; tests/tool/rooms.sh checks every #include against it, and reads
# these lines itself: keep each one on one line, "room_may_include(<room> <allowed>...)".
room_may_include(base)
room_may_include(model base)
room_may_include(explore model base)
room_may_include(detect model base)
room_may_include(trace model base)
room_may_include(script model base)
room_may_include(runtime model explore detect base)
room_may_include(instrument base runtime/hooks.h runtime/library/library.def) # what the pass and the runtime agree on, no other file of runtime
room_may_include(cluster explore trace model base)
room_may_include(cli base model explore detect trace script instrument cluster) # all but runtime
