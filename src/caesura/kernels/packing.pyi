from array import array

COMPILED: bool

def packed_ends(masses: object, limit: int) -> array[int] | None: ...
