"""The picture of the committed results."""

from benchmarks.__main__ import RESULTS
from benchmarks.plot import PEERS, plot, ratios


def test_every_file_has_bars_and_they_are_times_over_the_peers(tmp_path):
    (tmp_path / "scale.csv").write_text(
        "# where\nbenchmark,name,threads,cpu_median_ms\na,zscale lanczos (ffmpeg binary),1,4\n"
        "a,texsamp lanczos3 v4,1,1\na,texsamp lanczos3 v3,1,2\na,texsamp lanczos3 v3,2,9\n"
    )
    assert list(ratios(tmp_path, ("scale",))) == [("a: lanczos3 / zscale lanczos (ffmpeg binary)", 0.5)]
    for name in PEERS:
        assert list(ratios(RESULTS, (name,))), name
    plot(RESULTS, tmp_path / "bars.png")
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
