"""Sphinx configuration."""

import os
import sys
from pathlib import Path

import paclearn

os.environ["PACLEARN_PROGRESS"] = "0"
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "paclearn"
author = "The paclearn developers"
release = version = paclearn.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3  # headings can be linked to by their words
autosummary_generate = True
templates_path = ["_templates"]
numpydoc_show_class_members = False
exclude_patterns = ["_build", "gallery/*.ipynb"]
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "paclearn"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
html_sidebars = {"how_it_works": [], "index": [], "reproductions/thesis_ch6": []}
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "abort_on_example_error": True,
    "show_memory": False,
    "download_all_examples": False,
    "min_reported_time": 1000,
}
suppress_warnings = ["config.cache"]
