"""FFmpeg's log between captures: silent, and safe for decoders' threads that still have something to say."""

import av.logging

from texsamp.io.files.ffmpeg_log import captured_log


def test_threads_that_speak_after_a_capture_find_a_level_and_are_not_heard(capfd):
    with captured_log(av.logging.ERROR) as lines:
        av.logging.log(av.logging.ERROR, "decoder", "said in time")
    assert lines == ["said in time"]
    assert av.logging.get_level() is not None, "PyAV compares with it where a thread is already on its way in"
    av.logging.log(av.logging.ERROR, "decoder", "said too late")
    assert capfd.readouterr() == ("", "")


def test_captures_work_again_after_one_has_ended():
    for _ in range(2):
        with captured_log(av.logging.WARNING) as lines:
            av.logging.log(av.logging.WARNING, "decoder", "said")
        assert lines == ["said"]
