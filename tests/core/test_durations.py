import pytest

from hookline.core import durations


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10m", 600),
        ("5min", 300),
        ("1h", 3600),
        ("1hr", 3600),
        ("90s", 90),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("20", 1200),
        ("1H30M5S", 5405),
        ("2d", 172_800),
    ],
)
def test_a_span_is_read(text, seconds):
    assert durations.parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "0", "0s", "-5m", "1.5h", "m", "10x", "30m1h", "5m5m", "10 minutes", "١٠m", "9" * 30, "1h30"]
)
def test_what_is_no_span_is_an_error_that_says_what_is(text):
    with pytest.raises(ValueError, match="write it like 90s, 20m"):
        durations.parse_duration(text)


@pytest.mark.parametrize("text", ["1h30m", "90m", "20m", "5s", "1h0m1s"])
def test_what_is_written_is_read_again(text):
    seconds = durations.parse_duration(text)

    assert durations.parse_duration(durations.format_duration(seconds)) == seconds
