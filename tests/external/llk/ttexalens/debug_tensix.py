class TensixDebug:
    def __init__(self, coordinate):
        raise NotImplementedError("instructions cannot be injected through the libttsim ABI")
