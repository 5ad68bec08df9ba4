"""The pit's desk: the alerts and proposals that wait. Whoever sees it may act on none of it by seeing it."""

from roundhouse.server.service import Service
from roundhouse.server.wire.people import AlertLine, ProposalLine
from roundhouse.server.wire.sockets import HouseDesk


def desk_of(service: Service) -> HouseDesk:
    house = service.house
    alerts = tuple(
        AlertLine(id, one.at, one.about, one.text, one.table, one.person) for id, one in house.alerts().items()
    )
    proposals = tuple(
        ProposalLine(
            one.id, one.person, one.at, one.table, one.command, one.position, one.seconds, one.expires, one.effect
        )
        for one in house.proposals(service.clock())
    )
    return HouseDesk(alerts, proposals)
