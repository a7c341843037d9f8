"""Whether everything is tried, as in ``nox -s long``, or of what is alike a sample."""

import os

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
# Of the samples: another one would find other faults, and none would be found twice.
SEED = 20261122
