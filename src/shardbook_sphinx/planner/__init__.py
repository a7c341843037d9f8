"""The planner: plans that compilers were asked about, and what they gave beside what the formulas say.

The step of training and the formulas are pages' files, docs/planner/step.py and formulas.py; what a browser runs is
docs/_static/explorer/model/plan.js.
"""
