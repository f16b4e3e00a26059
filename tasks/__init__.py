"""Every task, so that `luigi --module tasks NAME` finds it.

Luigi is slow to import, and the command line and every worker process pass through this
package; so the tasks are imported here only where Luigi is in use already.
"""

import sys

if "luigi" in sys.modules:
    from tasks import annotation as annotation
    from tasks import augmentation as augmentation
    from tasks import corpora as corpora
    from tasks import counterfactuals as counterfactuals
    from tasks import evaluation as evaluation
    from tasks import extraction as extraction
    from tasks import release as release
    from tasks import runs as runs
    from tasks import subjectivity as subjectivity
    from tasks import winobias as winobias
