class CallstackEntry:
    pass
