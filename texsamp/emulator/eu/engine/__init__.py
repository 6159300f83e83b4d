"""Programs as rows for the engine, a kernel that runs them for all threads (kernels/eu_run.h)."""
