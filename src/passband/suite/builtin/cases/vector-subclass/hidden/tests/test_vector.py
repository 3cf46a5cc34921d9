import pytest

from plane import Path, Vector


class Velocity(Vector):
    def speed(self):
        return abs(self)


def test_sum_keeps_the_class():
    total = Velocity(1, 1) + Velocity(2, 3)
    assert total.speed() == 5
    assert type(total + Vector(1, 0)) is Velocity


def test_scaled_keeps_the_class():
    velocity = Velocity(3, 4)
    assert [v.speed() for v in (velocity * 2, 2 * velocity, -velocity)] == [10, 10, 5]


def test_parsed_is_of_the_class():
    assert Velocity.parse("3,4").speed() == 5
    assert type(Vector.parse("3,4")) is Vector


def test_path_of_velocities():
    points = Path(Velocity(0, 0), [Velocity(3, 4), Velocity(3, 4)]).points()
    assert [p.speed() for p in points] == [0, 5, 10]


def test_plain_vectors_stay_plain():
    assert type(Vector(1, 2) + Vector(3, 4)) is Vector
    assert type(2 * Vector(1, 2)) is Vector
    assert repr(-Vector(1, 2)) == "Vector(-1, -2)"


def test_operands_are_not_changed():
    left, right = Vector(1, 2), Vector(3, 4)
    left + right
    assert (left.x, left.y, right.x, right.y) == (1, 2, 3, 4)


def test_equal_across_classes():
    assert Velocity(1, 2) == Vector(1, 2)
    assert len({Velocity(1, 2), Vector(1, 2)}) == 1


def test_other_types_cannot_be_added():
    with pytest.raises(TypeError):
        Vector(1, 2) + 3


def test_text_that_is_no_pair():
    with pytest.raises(ValueError):
        Vector.parse("1,2,3")
