from sms.outbox import Outbox


def test_long_message_takes_two_parts():
    outbox = Outbox(part_bytes=10)
    assert outbox.send("555", "see you at noon") == 2
    assert outbox.sent == [("555", "see you at"), ("555", " noon")]


def test_preview():
    outbox = Outbox()
    outbox.send("555", "meet me at the station at noon")
    assert outbox.preview(0) == "meet me at the st..."
