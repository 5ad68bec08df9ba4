"""The configuration that ``roundhouse init`` writes: sound as it is, and every setting explained where it stands."""

HOUSE_TOML = """\
# The configuration of a house. 'roundhouse serve --check --config house.toml' names every fault of it at once.
# What stands behind a '#' is a default or an example; paths are relative to this file. No secret belongs in here.

[house]
name = "My House"
# Three letters. Every amount here and on the wire is in whole cents of this currency.
currency = "SGD"
# The folder of the journal (house.db) and its key (keep a copy of it elsewhere). Made if it is not there.
data = "data"
# The zone in which shifts begin, and the times at which they do; the first begins the gaming day of reports.
time_zone = "UTC"
shifts = ["06:00", "14:00", "22:00"]

[listen]
# Only this machine can connect to 127.0.0.1. Any other address needs [tls] or [proxy] below.
address = "127.0.0.1"
port = 8080
# The pages from which browsers may connect. Needed behind a proxy under another name.
# origins = ["https://house.example"]

# Encryption by this program, with PEM files:
# [tls]
# certificate = "certificate.pem"
# key = "key.pem"

# Or encryption by a proxy in front of it, which is believed when it says for whom it asks:
# [proxy]
# trusted = ["127.0.0.1"]

[requests]
# The most that is read of an HTTP request and of a message on a socket, in bytes.
request_bytes = 65536
message_bytes = 16384
# Connections in all, and of one address.
connections = 20000
connections_per_address = 2000
# Of one socket, or of one address without one.
requests_per_second = 40
# Of one address. Three failed log-ins in a row lock a person, whatever stands here.
log_ins_per_minute = 10
# A connection that does not show who it is ends after so many seconds.
silent_seconds = 10

[retention]
# The journal is kept for ever. This is how many of its past rounds a terminal can recall.
terminal_rounds = 50

# A table. Its id stays the same for as long as its journal is kept, and so does its game.
[[tables]]
id = "roulette-1"
# One of 'roundhouse games', or the path of a rulebook file.
game = "rws-double-zero"
# none: people read the wheel and register the result. simulated, simulated:50: a wheel of this program, real or
# fifty times faster. A real wheel: /dev/ttyUSB0, or tcp://wheel-1:4001.
wheel = "none"
# Whether the serial cable has the RTS and CTS wires.
rtscts = true
# Whether the automatic dealer deals when the table is open. It needs a wheel.
automatic = false
# The pace of the automatic dealer: how long bets are open, how long a result can be looked at before it is
# confirmed, and the pause before the next round.
betting_seconds = 20
look_seconds = 2
pause_seconds = 4
# Where the rulebook leaves it to the operator: whether bets close while the ball is spinning.
closes_while_spinning = false

# How this wheel writes pockets that do not fit its two characters, or that it writes otherwise:
# [tables.codes]
# 000 = "37"

# In cents. 'seat': the least of any one bet, and the most of all bets of a seat in a round. 'table': the most that
# may stand on the layout, of all seats together.
[tables.limits]
seat = { min = 100, max = 5000000 }
table = 50000000

# By type of bet, or for single positions ('roundhouse positions GAME' lists both):
[tables.limits.types]
straight = { min = 100, max = 50000 }
# [tables.limits.positions]
# "split:0-00" = { min = 100, max = 20000 }

# Terminals of one kind at one table. Each seat is enrolled once, with a code that the pit gives out.
[[terminals]]
table = "roulette-1"
# A terminal of the game: 'roundhouse games --json' lists them.
kind = "rapid-a"
seats = ["1", "2", "3", "4", "5", "6"]
# Whether credits can be bought at the terminal itself. Without, the cashier sells them.
bill_acceptor = false

# Staff are not part of this file: 'roundhouse staff add --data data' makes the first person.
"""
