// What containers of libstdc++ do in its library is seen: with a lock nothing is left out, and without one the race is found.
// EXPECT: safe
// EXPECT(sc -O2): safe
// EXPECT(sc -DMAP -DOPEN): data-race says=map
// EXPECT(sc -DSET -DOPEN): data-race says=set
// EXPECT(sc -DLIST -DOPEN): data-race says=list
// EXPECT(sc -DHASH -DOPEN): data-race says=hash
// EXPECT(sc -DMAP -DOPEN -DREAD): data-race says=map
// EXPECT(sc -DMAP -DREAD): safe
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

#if !defined MAP && !defined SET && !defined LIST && !defined HASH
#define MAP
#define SET
#define LIST
#define HASH
#endif

static std::mutex m;
static std::map<int, int> map{{5, 0}, {7, 0}};
static std::set<int> set{1, 2, 3};
static std::list<int> list{4, 5};
static std::unordered_map<std::string, int> hash;

static void change(int i)
{
#ifndef OPEN
    std::lock_guard<std::mutex> guard(m);
#endif

#ifdef MAP
    map[i] = i;
    map.erase(5);
#endif
#ifdef SET
    set.insert(10 + i);
    set.erase(2);
#endif
#ifdef LIST
    list.push_back(i);
    list.remove(4);
    list.reverse();
#endif
#ifdef HASH
    hash["number " + std::to_string(i)] = i;
#endif
}

static void look(void)
{
#ifndef OPEN
    std::lock_guard<std::mutex> guard(m);
#endif
    int sum = 0;

    for (auto &[key, value] : map)
        sum += value;
    for (auto at = map.rbegin(); at != map.rend(); ++at)
        sum -= at->second;
    assert(sum == 0);
}

int main()
{
    std::thread a(change, 1);
#ifdef READ
    std::thread b(look);
#else
    std::thread b(change, 2);
#endif

    a.join();
    b.join();
    look();
    std::list<int> other{9, 8};
    list.splice(list.begin(), other);
    list.swap(other);
    assert(list.empty());
#if !defined READ && defined MAP
    assert(map.size() == 3 && map.count(7));
#endif
    return 0;
}
