#!/bin/bash
# Files for other programs: valid against their schemas for every verdict, whatever the trace holds; good errors.
. "$(dirname "$0")/common.bash"
schemas=$SOURCE_DIR/tests/schemas
python=/usr/bin/python3 # Debian's, which sees Debian's packages
if ! "$python" -c 'import jsonschema' 2>/dev/null || ! command -v xmllint >/dev/null; then
    echo "SKIP: needs python3-jsonschema and xmllint (tools/setup.sh test installs them)"
    exit 77
fi
cd "$dir" || exit 1

# JSON FILE, SCHEMA
valid() {
    "$python" - "$1" "$2" <<'END' && ok || fail "$1 against $2"
import json, sys, jsonschema
document = json.load(open(sys.argv[1], encoding="utf-8"))
schema = json.load(open(sys.argv[2], encoding="utf-8"))
cls = jsonschema.validators.validator_for(schema)
cls.check_schema(schema)
errors = list(cls(schema).iter_errors(document))
for error in errors[:5]:
    print("  at", "/".join(map(str, error.absolute_path)), ":", error.message[:200], file=sys.stderr)
sys.exit(bool(errors))
END
}

# A file of the standard's own schema may be given, too: SARIF_SCHEMA.
valid_all() {
    valid "$1.sarif" "$schemas/sarif.json"
    [ -z "${SARIF_SCHEMA:-}" ] || valid "$1.sarif" "$SARIF_SCHEMA"
    xmllint --noout --schema "$schemas/junit.xsd" "$1.xml" 2>xml.err && ok ||
        fail "$1.xml: $(head -3 xml.err)"
}

# NAME, exit status, then the arguments of check
check() {
    local name=$1 status=$2
    shift 2
    timeout 100 "$RADDLE" check --sarif "$name.sarif" --junit "$name.xml" --json "$name.json" "$@" >out 2>err
    local got=$?
    [ $got -eq "$status" ] && ok || fail "$name: status $got, not $status: $(cat err)"
    valid_all "$name"
}

# PYTHON EXPRESSION that must hold of the JSON file
holds() {
    "$python" -c "
import json, sys
d = json.load(open(sys.argv[1], encoding='utf-8'))
assert $2, sys.argv[1]" "$1" 2>err && ok || fail "$1: not so: $2"
}

programs=$SOURCE_DIR/tests/programs

# ---- every verdict, from a check

check safe 0 "$programs/dekker.c"
holds safe.sarif "d['runs'][0]['results'] == []"
grep -q 'tests="1" failures="0" errors="0"' safe.xml && ok || fail "safe.xml: counts"
check incomplete 3 --max-executions 1 "$programs/dekker.c"
holds incomplete.sarif "d['runs'][0]['invocations'][0]['toolExecutionNotifications'][0]['level'] == 'warning'"
grep -q '<error message="the maximum number of executions was reached" type="incomplete">' incomplete.xml && ok ||
    fail "incomplete.xml"
check script-safe 0 "$SOURCE_DIR/examples/scripts/sb.script"
check deadlock 1 "$programs/abba.c"
holds deadlock.sarif "d['runs'][0]['results'][0]['ruleId'] == 'deadlock'"
holds deadlock.sarif "len(d['runs'][0]['results'][0]['codeFlows'][0]['threadFlows']) == 3"
holds deadlock.sarif "any('held by' in l['message']['text'] for l in d['runs'][0]['results'][0]['relatedLocations'])"
grep -q '<failure message="no thread can go on" type="deadlock">' deadlock.xml && ok || fail "deadlock.xml"
check race 1 "$SOURCE_DIR/examples/counter.c"
holds race.sarif "any('counter' in l['message']['text'] for l in d['runs'][0]['results'][0]['relatedLocations'])"
check assertion 1 --races ignore "$SOURCE_DIR/examples/counter.c"
check tso 1 --model tso "$programs/sb.c"
check crash 1 "$programs/crash-null.c"

# ---- SARIF says what happened, what each rule means, which raddle it was, and names files as seen from a root

holds deadlock.sarif "'There is a cycle: T1 waits for T2, which waits for T1.' in d['runs'][0]['results'][0]['message']['text']"
holds deadlock.sarif "'T2 (t2) waits for lock a' in d['runs'][0]['results'][0]['message']['text']"
holds tso.sarif "'is in its store buffer' in d['runs'][0]['results'][0]['message']['text']"
holds assertion.sarif "'is lost' in d['runs'][0]['results'][0]['message']['text']"
holds race.sarif "'races with' in d['runs'][0]['results'][0]['message']['text'] and 'raddle show' in d['runs'][0]['results'][0]['message']['text']"
holds race.sarif "d['runs'][0]['tool']['driver']['version'] == '$("$RADDLE" --version | cut -d' ' -f2)'"
holds race.sarif "all(len(r['help']['text']) > 80 for r in d['runs'][0]['tool']['driver']['rules'])"
holds race.sarif "'originalUriBaseIds' not in d['runs'][0]"
mkdir -p project/src
cp "$SOURCE_DIR/examples/counter.c" project/src
(cd project/src && timeout 100 "$RADDLE" check --sarif ../../rooted.sarif --source-root .. counter.c >/dev/null 2>&1)
valid rooted.sarif "$schemas/sarif.json"
[ -z "${SARIF_SCHEMA:-}" ] || valid rooted.sarif "$SARIF_SCHEMA"
holds rooted.sarif "d['runs'][0]['originalUriBaseIds']['SRCROOT']['uri'] == 'file://$(realpath project)/'"
holds rooted.sarif "d['runs'][0]['results'][0]['locations'][0]['physicalLocation']['artifactLocation'] == {'uri': 'src/counter.c', 'uriBaseId': 'SRCROOT'}"
mkdir other
"$RADDLE" check --sarif elsewhere.sarif --source-root other "$PWD/project/src/counter.c" >/dev/null 2>&1
holds elsewhere.sarif "'uriBaseId' not in d['runs'][0]['results'][0]['locations'][0]['physicalLocation']['artifactLocation']"

# ---- JUnit: the case has the same name whatever is found, also several bugs at once

name=$(sed -n 's/.*<testcase name="\([^"]*\)".*/\1/p' safe.xml)
for result in incomplete deadlock race assertion tso crash; do
    [ "$(sed -n 's/.*<testcase name="\([^"]*\)".*/\1/p' $result.xml)" = "$name" ] && ok || fail "$result.xml: another name"
done
cat >several.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *set(void *a) { x = 1; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    if (x)
        assert(x == 0);
    else
        assert(x == 1);
    pthread_join(t, NULL);
}
END
check several 1 --keep-going several.c
grep -q 'tests="1" failures="1" errors="0"' several.xml && grep -q '(and [1-9] more)" type="assertion"' several.xml && ok || fail "several.xml"
[ "$(grep -c '<testcase' several.xml)" -eq 1 ] && grep -q "x == 0.* fails" several.xml && grep -q "x == 1.* fails" several.xml && ok ||
    fail "several.xml: both bugs in one case"

# ---- from a trace

for trace in abba counter sb crash-null; do
    [ -f $trace.raddle ] || { fail "no $trace.raddle"; continue; }
    "$RADDLE" show --sarif $trace.sarif --junit $trace.xml --json $trace.json $trace.raddle >out 2>&1 && [ ! -s out ] &&
        ok || fail "show $trace: $(cat out)"
    valid_all $trace
    valid $trace.json "$schemas/trace.json"
done
holds abba.json "len(d['waits']) == 3 and d['waits'][1]['on'] == 2 and d['waits'][2]['on'] == 1"
holds abba.json "any(v['value'].startswith('held by T1') for v in d['values'])"
holds sb.json "any(v['kind'] == 'buffer' for v in d['variables'])"
holds sb.json "any(s['flush'] for s in d['steps']) and any(s['stack'] is not None for s in d['steps'])"
holds counter.json "d['conflicts'] and d['source'][0]['lines']"

# ---- hostile names and bytes, in everything that a trace holds

mkdir -p 'a </script> "&'\'' é'
cat >'a </script> "&'\'' é/x%y.c' <<'END'
#include <pthread.h>
#include <stdio.h>
#include <assert.h>
static int x; // </script><!-- ]]> & "
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a)
{
    pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    printf("]]> \x01 \x1b[31m \xff </system-out> \xef\xbf\xbe\n");
    pthread_mutex_lock(&m); int seen = x; pthread_mutex_unlock(&m);
    assert(seen == 0 && "</failure> & \"quoted\"");
}
END
check hostile 1 'a </script> "&'\'' é/x%y.c'
"$RADDLE" show --json hostile-trace.json --sarif hostile.sarif --junit hostile.xml x%y.raddle && ok || fail "show x%y.raddle"
valid hostile-trace.json "$schemas/trace.json"
valid_all hostile

# ---- errors: one line, and no file left behind

# NAME, status, pattern, arguments
refused() {
    local name=$1 status=$2 pattern=$3
    shift 3
    timeout 100 "$RADDLE" "$@" >out 2>err </dev/null
    local got=$?
    if [ $got -ne "$status" ]; then
        fail "$name: status $got, not $status"
    elif ! grep -qE -- "$pattern" err; then
        fail "$name: $(head -2 err)"
    else
        ok
    fi
}

refused "two to standard output" 2 'raddle: --json and --sarif cannot both write to standard output' show --json - --sarif - abba.raddle
refused "a root for nothing" 2 'raddle: --source-root goes with --sarif' check --source-root . "$programs/abba.c"
refused "a root that is not there" 2 "option '--source-root' takes a directory that is there" show --source-root nope --sarif x abba.raddle
refused "two to one file" 2 'raddle: --sarif and --junit cannot both write to x' check --sarif x --junit x "$programs/abba.c"
refused "no such directory" 4 'raddle: nope/x: cannot be written: No such file' show --sarif nope/x abba.raddle
refused "a full disk" 4 'raddle: /dev/full: cannot be written: No space' show --junit /dev/full abba.raddle
refused "an unknown format" 2 "unknown option '--xml'" show --xml x abba.raddle
refused "no file" 2 "option '--json' needs a value" show abba.raddle --json
refused "an empty name" 2 "option '--json' takes a file name" show --json "" abba.raddle
head -c 300 abba.raddle >cut.raddle
refused "a trace cut short" 2 'cut.raddle:[0-9]+: the file is cut short' show --json x cut.raddle
sed '1s/3/2/' abba.raddle >old.raddle
refused "an old trace" 2 'old.raddle:1: version 2 of the format, but this raddle reads version 3' show old.raddle
[ ! -e x ] && ok || fail "a file was left behind"
"$RADDLE" show --json - abba.raddle >stdout.json && valid stdout.json "$schemas/trace.json"

finish
