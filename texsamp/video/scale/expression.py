"""Sizes as arithmetic on the picture's own: iw/2, max(ih,720)."""

from __future__ import annotations

import ast
import contextlib
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from texsamp.video.options import Integer

MAX_LETTERS = 200

VARIABLES = {
    "iw": "width of the picture",
    "ih": "its height",
    "sar": "its sample aspect",
    "a": "iw/ih",
    "dar": "a*sar",
}
"""Names that may stand in an expression; in_w and in_h are iw and ih."""

_ALIASES = {"in_w": "iw", "in_h": "ih"}

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "round": lambda value: math.floor(value + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}

LEGAL = f"arithmetic (+ - * / %) on {', '.join(VARIABLES)} with {', '.join(_FUNCTIONS)}"


def check_expression(text: str) -> None:
    """Raise ValueError unless the text is `LEGAL`; whether it has a value is known with the picture."""
    with contextlib.suppress(ArithmeticError):
        _value(_parsed(text), dict.fromkeys(VARIABLES, 1.0))


class Size(Integer):
    """A size in pixels: an integer, or an expression with a name in it."""

    @property
    def legal(self) -> str:
        """Range, special values and expressions."""
        return f"{super().legal}, or {LEGAL}"

    def parse(self, text: str) -> int | str:  # type: ignore[override]
        """Decimal integer, or the text of an expression."""
        if not any(letter.isalpha() for letter in text):
            return super().parse(text)
        check_expression(text)
        return text

    def format(self, value: int | str) -> str:
        """Decimal integer, or the expression, quoted where the grammar would split it."""
        return f"'{value}'" if "," in str(value) else str(value)


def evaluate(text: str, variables: Mapping[str, float]) -> int:
    """The size an expression says, toward zero, as FFmpeg has it. Raises ValueError if it has no value."""
    try:
        return math.trunc(_value(_parsed(text), variables))
    except (ArithmeticError, ValueError) as error:
        raise ValueError(f"{text}: {error}") from None


def _parsed(text: str) -> ast.expr:
    if len(text) > MAX_LETTERS:
        raise ValueError(f"an expression has at most {MAX_LETTERS} letters, found {len(text)}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(text) from None


def _value(node: ast.expr, variables: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if _ALIASES.get(name, name) in variables:
            return variables[_ALIASES.get(name, name)]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return float(_BINARY[type(op)](_value(left, variables), _value(right, variables)))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return float(_UNARY[type(op)](_value(operand, variables)))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]) if name in _FUNCTIONS:
            values = [_value(argument, variables) for argument in args]
            if (len(values) > 1) != (name in ("min", "max")):
                raise ValueError(f"{name} takes another number of values")
            return _FUNCTIONS[name](*values)
    raise ValueError(ast.unparse(node))
