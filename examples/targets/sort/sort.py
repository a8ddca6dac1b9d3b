"""A quicksort that uses an insertion sort for short parts."""

CUTOVER = 64  # tune: 1..128
PIVOT = "first"  # tune: first|middle|median


def sort(items):
    _quick(items, 0, len(items) - 1)


def _quick(items, low, high):
    while high - low >= CUTOVER:
        middle = _split(items, low, high)
        if middle - low < high - middle:
            _quick(items, low, middle)
            low = middle + 1
        else:
            _quick(items, middle + 1, high)
            high = middle
    _insert(items, low, high)


def _split(items, low, high):
    pivot = _pivot(items, low, high)
    i, j = low - 1, high + 1
    while True:
        i += 1
        while items[i] < pivot:
            i += 1
        j -= 1
        while pivot < items[j]:
            j -= 1
        if i >= j:
            return j
        items[i], items[j] = items[j], items[i]


def _pivot(items, low, high):
    middle = (low + high) // 2
    if PIVOT == "first":
        return items[low]
    if PIVOT == "middle":
        return items[middle]
    return sorted((items[low], items[middle], items[high - 1]))[1]


def _insert(items, low, high):
    for i in range(low + 1, high + 1):
        item, j = items[i], i
        while j > low and item < items[j - 1]:
            items[j] = items[j - 1]
            j -= 1
        items[j] = item
