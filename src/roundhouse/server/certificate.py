"""The TLS certificate of a running server: its expiry, and its replacement without a restart."""

import ssl
from pathlib import Path

from cryptography import x509

from roundhouse.table.names import Millis


class Certificate:
    """The certificate and key files, and the context that serves them. New connections use what was loaded last."""

    def __init__(self, certificate: Path, key: Path, context: ssl.SSLContext) -> None:
        self._certificate, self._key, self._context = certificate, key, context
        self.ends: Millis | None = expiry_of(certificate)

    def reload(self, certificate: Path, key: Path) -> None:
        """Load the files again. Raises ``OSError``, and keeps the old certificate, if they cannot be used."""
        # Files that do not match would leave the serving context without a usable pair, so try them apart first.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, "")
        self._context.load_cert_chain(certificate, key, "")
        self._certificate, self._key = certificate, key
        self.ends = expiry_of(certificate)


def expiry_of(certificate: Path) -> Millis | None:
    """Return the time at which the first certificate of a PEM file expires; ``None`` if it cannot be parsed."""
    try:
        first = x509.load_pem_x509_certificates(certificate.read_bytes())[0]
    except (OSError, ValueError, IndexError):
        return None
    return Millis(int(first.not_valid_after_utc.timestamp() * 1000))
