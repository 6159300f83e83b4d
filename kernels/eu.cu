// Programs of execution units: what lies between two messages or branches, for many threads.
#include "eu_run.h"

KERNEL(eu_run, EuRunParams, eu_run_tile)
