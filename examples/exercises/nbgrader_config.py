# For `nbgrader generate_assignment`: what stands where a solution was.
c = get_config()  # noqa: F821
c.ClearSolutions.code_stub = {'fusible': '# your statements here'}
