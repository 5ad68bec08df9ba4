"""All five documents, in the order of the games."""

from tests.documents import Document, mbs_electronic, mbs_sands, rws_double_zero, rws_money_wheel, rws_triple_zero

DOCUMENTS: tuple[Document, ...] = (
    rws_double_zero.DOCUMENT,
    rws_triple_zero.DOCUMENT,
    mbs_sands.DOCUMENT,
    mbs_electronic.DOCUMENT,
    rws_money_wheel.DOCUMENT,
)
