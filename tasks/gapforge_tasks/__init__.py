"""Every task, so that `luigi --module gapforge_tasks NAME` finds it.

Luigi is slow to import, and the command line and every worker process pass through this package; so the tasks are
imported here only where Luigi is already in use.
"""

import sys

if "luigi" in sys.modules:
    from gapforge_tasks import graph as graph
    from gapforge_tasks import runs as runs
