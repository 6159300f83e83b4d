"""The queue between threads: bounded, ordered, and never a wait that nobody ends."""

from threading import Thread

import pytest

from texsamp.io.frames.channel import Channel


def run(target: object, *arguments: object) -> Thread:
    thread = Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def ended(thread: Thread) -> bool:
    thread.join(10)
    return not thread.is_alive()


def test_items_arrive_in_order_and_then_the_end() -> None:
    channel: Channel[int] = Channel(2)

    def produce() -> None:
        for number in range(100):
            channel.put(number)
        channel.finish()

    producer = run(produce)
    assert list(iter(channel.get, None)) == list(range(100))
    assert channel.get() is None
    assert ended(producer)


def test_producer_waits_for_room_until_the_channel_is_closed() -> None:
    channel: Channel[int] = Channel(2)
    accepted: list[bool] = []
    producer = run(lambda: accepted.extend(channel.put(n) for n in range(3)))
    producer.join(0.1)
    assert producer.is_alive()
    channel.close()
    assert ended(producer)
    assert accepted == [True, True, False]
    assert channel.put(4) is False
    assert channel.get() is None


def test_consumer_waits_until_the_channel_is_closed() -> None:
    channel: Channel[int] = Channel(2)
    consumer = run(channel.get)
    consumer.join(0.1)
    assert consumer.is_alive()
    channel.close()
    assert ended(consumer)


def test_error_comes_after_the_last_item() -> None:
    channel: Channel[int] = Channel(2)
    channel.put(1)
    channel.fail(ValueError("broken"))
    assert channel.get() == 1
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            channel.get()
