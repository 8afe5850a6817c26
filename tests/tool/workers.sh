#!/bin/bash
# Random programs, searched by one process, by 1, 2, 3, 4 and 8 workers, and by as many ranks of MPI: the same verdict, the same bugs, and as many executions.
# PROGRAMS=50 MPI=yes SEED=n for more of it by hand.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1
programs=$(dirname "$RADDLE")/tests/cluster_orders
[ -x "$programs" ] || { echo "no cluster_orders here"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

mkdir scripts
run "$programs" --print scripts --seed "${SEED:-1}" --programs "${PROGRAMS:-5}"
expect "there are programs" test "$status" -eq 0

figures() { # FILE: bugs in any order
    grep -E '^ *"(verdict|executions|blocked)":' "$1"
    grep -E '^ *"(kind|line|message)":' "$1" | sort
}

compare() { # NAME COMMAND…
    local name=$1
    shift
    rm -f found.json
    run "$@" --keep-going --minimise 0 --json found.json "$script"
    figures found.json >found 2>/dev/null
    expect "$name: status" test "$status" -eq "$want"
    expect "$name: the same" cmp -s once found
}

for script in scripts/*.script; do
    run "$RADDLE" check --keep-going --minimise 0 --json once.json "$script"
    want=$status
    figures once.json >once
    for n in 1 2 3 4 8; do
        compare "$script, -j $n" "$RADDLE" check -j $n
        [ -z "${MPI:-}" ] || compare "$script, $n ranks and one" mpirun -n $((n + 1)) "$RADDLE" check --mpi
    done
done

finish
