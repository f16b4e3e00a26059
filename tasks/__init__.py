"""Every task, so that `luigi --module tasks NAME` finds it."""

import luigi.configuration

from tasks import corpora as corpora

# Luigi's own exit codes are 0 whatever happens; a scheduler must learn of a failure. A luigi.cfg that sets them wins.
RETCODES = {
    "task_failed": 1,
    "missing_data": 1,
    "not_run": 1,
    "scheduling_error": 2,
    "already_running": 3,
    "unhandled_exception": 4,
}
for _name, _code in RETCODES.items():
    if not luigi.configuration.get_config().has_option("retcode", _name):
        luigi.configuration.get_config().set("retcode", _name, str(_code))
