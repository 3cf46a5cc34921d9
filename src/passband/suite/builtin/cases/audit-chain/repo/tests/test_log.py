from audit import AuditLog


def test_export():
    log = AuditLog().add("ann", "login").add("bob", "logout")
    assert log.export() == "1 ann: login\n2 bob: logout\n"


def test_find_the_newest():
    log = AuditLog().add("ann", "login").add("bob", "login")
    assert log.find("login") == "bob: login"
