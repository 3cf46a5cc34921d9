"""Arrays in, numbers out.

Counts are ``c`` (successes) and ``n`` (samples), one entry a task on the last axis; leading axes are evaluations, so
that a simulation of thousands is one call. Results are frozen and carry the method, the estimand, the level, n and
what a reader must know. Where a number cannot be estimated it is None and a warning says why; input that makes no
sense raises :class:`passband.errors.InvalidInputError`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Functions that bear their module's name: imported later, the module would take their place.
from passband.stats.best_set import BestSet, best_set
from passband.stats.bradley_terry import BradleyTerry, bradley_terry
from passband.stats.pass_at_k import (
    g_pass_at_k,
    pass_at_k,
    pass_at_k_curve,
    pass_at_k_variance,
    pass_hat_k,
    plug_in_pass_at_k,
)
from passband.stats.sprt import SequentialTest, sprt
from passband.stats.winners_curse import WinnersCurse, expected_maximum, winners_curse

if TYPE_CHECKING:
    from passband.stats._result import Estimand, Estimate
    from passband.stats.agreement import Agreement, cohen_kappa, fleiss_kappa
    from passband.stats.allocation import Allocation, allocate_samples
    from passband.stats.at_k import pass_at_k_interval, pass_hat_k_interval
    from passband.stats.bands import (
        paired_curve_difference,
        pass_at_k_band,
        pass_hat_k_band,
    )
    from passband.stats.beta_binomial import BetaBinomialFit, beta_binomial_mle
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
    from passband.stats.calibration import ReliabilityCurve, reliability_curve
    from passband.stats.checkpoint import CheckpointChoice, select_checkpoint
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
    from passband.stats.design import Design, plan_design
    from passband.stats.group_sequential import GroupSequentialBounds, group_sequential_bounds
    from passband.stats.hierarchical import HierarchicalPosterior, hierarchical_beta_binomial
    from passband.stats.judged import CorrectedRate, rogan_gladen
    from passband.stats.krippendorff import krippendorff_alpha
    from passband.stats.missing import (
        missing_bounds,
        success_counts,
    )
    from passband.stats.multiplicity import (
        adjust_p,
        simultaneous_intervals,
    )
    from passband.stats.paired import PairedDifference, paired_difference
    from passband.stats.paired_at_k import CurveKind, paired_at_k_difference
    from passband.stats.paired_planning import paired_detectable, paired_power, paired_tasks
    from passband.stats.paired_values import PairedMean, paired_mean_difference
    from passband.stats.pass_rate import pass_rate_interval
    from passband.stats.power import minimum_detectable_effect, power_of, required_units
    from passband.stats.prediction_powered import PredictionPoweredMean, prediction_powered_mean
    from passband.stats.recipe import RecipeDifference, recipe_difference
    from passband.stats.reported import (
        ReportedDifference,
        hiding_training_sd,
        largest_correlation,
        reported_difference,
        task_variance,
    )
    from passband.stats.runs import interquartile_mean, probability_of_improvement
    from passband.stats.seeds import SeedVariance, seed_variance
    from passband.stats.selective import SelectionInterval, selection_interval
    from passband.stats.sequential import ConfidenceSequence, EValue, confidence_sequence, e_value
    from passband.stats.sign_flip import sign_flip_p
    from passband.stats.stratified import StratifiedSequence
    from passband.stats.two_groups import TwoGroups, group_difference
    from passband.stats.unpaired import (
        UnpairedDifference,
        unpaired_difference,
    )

__all__ = [
    "Agreement",
    "Allocation",
    "BestSet",
    "BetaBinomialFit",
    "BootstrapDistribution",
    "BradleyTerry",
    "CheckpointChoice",
    "ConfidenceSequence",
    "CorrectedRate",
    "CurveKind",
    "Decision",
    "Design",
    "EValue",
    "Estimand",
    "Estimate",
    "GroupSequentialBounds",
    "HierarchicalPosterior",
    "PairedDifference",
    "PairedMean",
    "PredictionPoweredMean",
    "RecipeDifference",
    "ReliabilityCurve",
    "ReportedDifference",
    "SeedVariance",
    "SelectionInterval",
    "SequentialTest",
    "StratifiedSequence",
    "TwoGroups",
    "UnpairedDifference",
    "VarianceComponents",
    "WinnersCurse",
    "adjust_p",
    "allocate_samples",
    "best_set",
    "beta_binomial_mle",
    "bootstrap_ci",
    "bootstrap_distribution",
    "bradley_terry",
    "clopper_pearson_interval",
    "cohen_kappa",
    "confidence_sequence",
    "decide",
    "design_effect",
    "e_value",
    "effective_sample_size",
    "expected_maximum",
    "fleiss_kappa",
    "g_pass_at_k",
    "group_difference",
    "group_sequential_bounds",
    "hiding_training_sd",
    "hierarchical_beta_binomial",
    "interquartile_mean",
    "intra_task_correlation",
    "jeffreys_interval",
    "krippendorff_alpha",
    "largest_correlation",
    "minimum_detectable_effect",
    "missing_bounds",
    "paired_at_k_difference",
    "paired_bootstrap_diff",
    "paired_curve_difference",
    "paired_detectable",
    "paired_difference",
    "paired_mean_difference",
    "paired_power",
    "paired_tasks",
    "pass_at_k",
    "pass_at_k_band",
    "pass_at_k_curve",
    "pass_at_k_interval",
    "pass_at_k_variance",
    "pass_hat_k",
    "pass_hat_k_band",
    "pass_hat_k_interval",
    "pass_rate_interval",
    "plan_design",
    "plug_in_pass_at_k",
    "power_of",
    "prediction_powered_mean",
    "probability_of_improvement",
    "recipe_difference",
    "reliability_curve",
    "reported_difference",
    "required_units",
    "rogan_gladen",
    "seed_variance",
    "select_checkpoint",
    "selection_interval",
    "sign_flip_p",
    "simultaneous_intervals",
    "sprt",
    "standard_error",
    "success_counts",
    "task_variance",
    "unpaired_difference",
    "variance_components",
    "wald_interval",
    "wilson_interval",
    "winners_curse",
]

# All others are imported when they are asked for: an interval waits for no power analysis.
_HOMES = {
    "Agreement": "agreement",
    "Allocation": "allocation",
    "BetaBinomialFit": "beta_binomial",
    "BootstrapDistribution": "bootstrap",
    "CheckpointChoice": "checkpoint",
    "ConfidenceSequence": "sequential",
    "CorrectedRate": "judged",
    "CurveKind": "paired_at_k",
    "Decision": "decision",
    "Design": "design",
    "EValue": "sequential",
    "Estimand": "_result",
    "Estimate": "_result",
    "GroupSequentialBounds": "group_sequential",
    "HierarchicalPosterior": "hierarchical",
    "PairedDifference": "paired",
    "PairedMean": "paired_values",
    "PredictionPoweredMean": "prediction_powered",
    "RecipeDifference": "recipe",
    "ReliabilityCurve": "calibration",
    "ReportedDifference": "reported",
    "SeedVariance": "seeds",
    "SelectionInterval": "selective",
    "StratifiedSequence": "stratified",
    "TwoGroups": "two_groups",
    "UnpairedDifference": "unpaired",
    "VarianceComponents": "clustering",
    "adjust_p": "multiplicity",
    "allocate_samples": "allocation",
    "beta_binomial_mle": "beta_binomial",
    "bootstrap_ci": "bootstrap",
    "bootstrap_distribution": "bootstrap",
    "clopper_pearson_interval": "binomial",
    "cohen_kappa": "agreement",
    "confidence_sequence": "sequential",
    "decide": "decision",
    "design_effect": "clustering",
    "e_value": "sequential",
    "effective_sample_size": "clustering",
    "fleiss_kappa": "agreement",
    "group_difference": "two_groups",
    "group_sequential_bounds": "group_sequential",
    "hiding_training_sd": "reported",
    "hierarchical_beta_binomial": "hierarchical",
    "interquartile_mean": "runs",
    "intra_task_correlation": "clustering",
    "jeffreys_interval": "binomial",
    "krippendorff_alpha": "krippendorff",
    "largest_correlation": "reported",
    "minimum_detectable_effect": "power",
    "missing_bounds": "missing",
    "paired_at_k_difference": "paired_at_k",
    "paired_bootstrap_diff": "bootstrap",
    "paired_curve_difference": "bands",
    "paired_detectable": "paired_planning",
    "paired_difference": "paired",
    "paired_mean_difference": "paired_values",
    "paired_power": "paired_planning",
    "paired_tasks": "paired_planning",
    "pass_at_k_band": "bands",
    "pass_at_k_interval": "at_k",
    "pass_hat_k_band": "bands",
    "pass_hat_k_interval": "at_k",
    "pass_rate_interval": "pass_rate",
    "plan_design": "design",
    "power_of": "power",
    "prediction_powered_mean": "prediction_powered",
    "probability_of_improvement": "runs",
    "recipe_difference": "recipe",
    "reliability_curve": "calibration",
    "reported_difference": "reported",
    "required_units": "power",
    "rogan_gladen": "judged",
    "seed_variance": "seeds",
    "select_checkpoint": "checkpoint",
    "selection_interval": "selective",
    "sign_flip_p": "sign_flip",
    "simultaneous_intervals": "multiplicity",
    "standard_error": "clustering",
    "success_counts": "missing",
    "task_variance": "reported",
    "unpaired_difference": "unpaired",
    "variance_components": "clustering",
    "wald_interval": "binomial",
    "wilson_interval": "binomial",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
