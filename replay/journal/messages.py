"""A message of a conversation as a journal writes it (keepimg.md, A message): each member of the type that Go reads.

Members that the contract does not name stay as they came, whatever they are. Null is as if absent, as in Go's structs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.journal import octets, shapes
from replay.journal.defects import Defect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replay.journal.walk import Tree

    Members = Mapping[str, Callable[[Tree], object]]


def message(tree: Tree) -> Tree:
    """A message, unchanged. Raises Defect where a member has a type that it cannot have, at any depth."""
    return _checked(tree, _MESSAGE)


def messages(tree: Tree) -> Tree:
    """A list of messages; null is an empty one."""
    return list(shapes.each(tree, message))


def _checked(tree: Tree, members: Members) -> Tree:
    for key, value in shapes.members(tree):
        check = members.get(key)
        if check is None or value is None:
            continue
        try:
            check(value)
        except Defect as defect:
            raise defect.inside(octets.shown(key)) from None
    return tree


def _content(tree: Tree) -> None:
    if isinstance(tree, list):
        shapes.each(tree, _part)
    elif not isinstance(tree, str):
        raise shapes.wrong_type(tree, "a string, or an array of parts")


def _part(tree: Tree) -> Tree:
    return _checked(tree, _PART)


def _image(tree: Tree) -> Tree:
    return _checked(tree, {"url": shapes.text})


def _calls(tree: Tree) -> None:
    shapes.each(tree, _call)


def _call(tree: Tree) -> Tree:
    return tree if tree is None else _checked(tree, _CALL)


def _function(tree: Tree) -> Tree:
    return _checked(tree, {"name": shapes.text, "arguments": shapes.text})


_PART: Final[Members] = {"type": shapes.text, "text": shapes.text, "image_url": _image}
_CALL: Final[Members] = {"id": shapes.text, "type": shapes.text, "function": _function}
_MESSAGE: Final[Members] = {
    "role": shapes.text,
    "content": _content,
    "tool_calls": _calls,
    "tool_call_id": shapes.text,
    "img_relay": shapes.boolean,
    "img_tokens": shapes.int64,
}
