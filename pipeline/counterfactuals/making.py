"""From a scene to its quadruple, made and checked: what the stage, the command and the benchmark share."""

from pipeline.counterfactuals.minimal import find_fault
from pipeline.counterfactuals.quadruples import Quadruple, Scene, make_quadruple
from pipeline.counterfactuals.words import exchange_words


def make_checked(scene: Scene, model: str) -> tuple[Quadruple, str]:
    """The four scenes, and what is wrong with them in a few words; they are used where nothing is."""
    quadruple = make_quadruple(scene, exchange_words(scene.text, model))
    return quadruple, find_fault(quadruple)
