"""Fitted models, frozen: they predict, explain themselves and can be written down."""

from paclearn.models.additive_model import AdditiveModel
from paclearn.models.explanation import Explanation
from paclearn.models.graph_mean import MeanModel
from paclearn.models.graph_model import GraphModel
from paclearn.models.kernel_model import KernelModel
from paclearn.models.linear import LinearModel
from paclearn.models.model import About, Model
from paclearn.models.points import PointsModel
from paclearn.models.rule_model import RuleModel
from paclearn.models.table_model import TableModel

__all__ = [
    "About",
    "AdditiveModel",
    "Explanation",
    "GraphModel",
    "KernelModel",
    "LinearModel",
    "MeanModel",
    "Model",
    "PointsModel",
    "RuleModel",
    "TableModel",
]

KINDS: dict[str, type[Model]] = {
    kind.kind: kind
    for kind in (
        LinearModel,
        PointsModel,
        AdditiveModel,
        TableModel,
        GraphModel,
        MeanModel,
        KernelModel,
        RuleModel,
    )
}
