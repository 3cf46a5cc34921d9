"""Arrays in, numbers out.

Counts are ``c`` (successes) and ``n`` (samples), one entry a task on the last axis; leading axes are evaluations, so
that a simulation of thousands is one call. Results are frozen and carry the method, the estimand, the level, n and
what a reader must know. Where a number cannot be estimated it is None and a warning says why; input that makes no
sense raises :class:`passband.errors.InvalidInputError`.
"""

from passband.stats._result import Estimand, Estimate
from passband.stats.at_k import pass_at_k_interval, pass_hat_k_interval
from passband.stats.best_set import BestSet, best_set
from passband.stats.binomial import (
    clopper_pearson_interval,
    jeffreys_interval,
    wald_interval,
    wilson_interval,
)
from passband.stats.bootstrap import (
    BootstrapDistribution,
    bootstrap_ci,
    bootstrap_distribution,
    paired_bootstrap_diff,
)
from passband.stats.clustering import (
    VarianceComponents,
    design_effect,
    effective_sample_size,
    intra_task_correlation,
    standard_error,
    variance_components,
)
from passband.stats.decision import (
    Decision,
    decide,
)
from passband.stats.multiplicity import (
    adjust_p,
    simultaneous_intervals,
)
from passband.stats.paired import PairedDifference, paired_difference
from passband.stats.paired_values import PairedMean, paired_mean_difference
from passband.stats.pass_at_k import (
    g_pass_at_k,
    pass_at_k,
    pass_at_k_curve,
    pass_at_k_variance,
    pass_hat_k,
    plug_in_pass_at_k,
)
from passband.stats.pass_rate import pass_rate_interval
from passband.stats.power import minimum_detectable_effect, power_of, required_units
from passband.stats.recipe import RecipeDifference, recipe_difference
from passband.stats.sign_flip import sign_flip_p
from passband.stats.two_groups import TwoGroups, group_difference
from passband.stats.unpaired import (
    UnpairedDifference,
    unpaired_difference,
)

__all__ = [
    "BestSet",
    "BootstrapDistribution",
    "Decision",
    "Estimand",
    "Estimate",
    "PairedDifference",
    "PairedMean",
    "RecipeDifference",
    "TwoGroups",
    "UnpairedDifference",
    "VarianceComponents",
    "adjust_p",
    "best_set",
    "bootstrap_ci",
    "bootstrap_distribution",
    "clopper_pearson_interval",
    "decide",
    "design_effect",
    "effective_sample_size",
    "g_pass_at_k",
    "group_difference",
    "intra_task_correlation",
    "jeffreys_interval",
    "minimum_detectable_effect",
    "paired_bootstrap_diff",
    "paired_difference",
    "paired_mean_difference",
    "pass_at_k",
    "pass_at_k_curve",
    "pass_at_k_interval",
    "pass_at_k_variance",
    "pass_hat_k",
    "pass_hat_k_interval",
    "pass_rate_interval",
    "plug_in_pass_at_k",
    "power_of",
    "recipe_difference",
    "required_units",
    "sign_flip_p",
    "simultaneous_intervals",
    "standard_error",
    "unpaired_difference",
    "variance_components",
    "wald_interval",
    "wilson_interval",
]
