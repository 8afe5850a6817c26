# moodycamel::ConcurrentQueue: a lock-free queue as a header of C++, with a program of our own.
source=concurrentqueue

program_build() {
    $RADDLE c++ -O1 -I. "$here/own/queue_pair.cpp" -o queue_pair
}

program_checks() {
    check 'safe' -- ./queue_pair
    check 'safe' --model tso -- ./queue_pair
}
