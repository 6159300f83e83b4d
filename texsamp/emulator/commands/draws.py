"""3DPRIMITIVE; all other commands of the 3D pipeline only set what it uses."""

from __future__ import annotations

from texsamp.emulator.commands.packet import Handlers, Packet
from texsamp.emulator.dispatch.push_constants import allocation_violations
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.state.commands_3d import Primitive
from texsamp.state.commands_mi import MiTopologyFilter


def _draw(packet: Packet, command: Primitive) -> Dispatch | None:
    """A draw, unless predicate or filter drop it; drivers also send some without vertices, to flush."""
    if command.predicate_enable and not packet.context.registers.predicate:
        return None
    topology = packet.context.latest(MiTopologyFilter).topology
    if topology not in (0, command.topology):
        return None
    counted = command.indirect_parameter or command.end_offset or (command.vertex_count and command.instance_count)
    if not counted:
        return None
    packet.execution.warnings.extend(allocation_violations(packet.context))
    return packet.engines.drawing.draw(packet.execution, command)


HANDLERS: Handlers = {Primitive: _draw}
