from .device import Context


def init_ttexalens(simulation_directory=None, **ignored):
    if Context.current is None:
        Context.current = Context(simulation_directory)
    return Context.current
