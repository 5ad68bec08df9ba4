/** Groups the evidence of a round for display, in the order in which an auditor asks for it. */
import { filled } from "../lib/i18n.svelte.ts";
import type { EvidenceKind, EvidenceRow } from "../wire.ts";
import { W } from "./words.ts";

export interface EvidenceGroup {
	readonly kind: EvidenceKind;
	readonly rows: readonly EvidenceRow[];
}

const ORDER: readonly EvidenceKind[] = [
	"start",
	"spin",
	"reading",
	"amendment",
	"registration",
	"resolution",
	"confirmation",
	"interruption",
	"referral",
	"decision",
	"change",
];

const VALUES: readonly string[] = ["ball", "wheel", "revolutions", "seen"];

/** The groups that have rows. Rows are in the order of the journal, those of the spin in the order of their values. */
export function evidenceGroups(evidence: readonly EvidenceRow[]): EvidenceGroup[] {
	const place = (row: EvidenceRow) => VALUES.indexOf(row.name ?? "");
	const sorted = [...evidence].sort((one, other) => place(one) - place(other));
	return ORDER.map((kind) => ({ kind, rows: sorted.filter((row) => row.kind === kind) })).filter(
		(group) => group.rows.length > 0,
	);
}

/** How a value of the spin came on record, with its source: "attested by the Dealer (dee)". Empty if it is withheld. */
export function byHow({ how, by }: EvidenceRow): string {
	if (!how) return "";
	return how === "not_measured" || how === "without_source" || !by ? W.how[how] : filled(W.howBy[how], { by });
}

/** The segment at which the outcome was read, if all readings of the outcome that have a segment agree. Otherwise null. */
export function segmentRead(evidence: readonly EvidenceRow[], outcome: string): number | null {
	// An amendment replaces the reading of its source.
	const readings = new Map<string, EvidenceRow>();
	for (const row of evidence) if (row.kind === "reading" || row.kind === "amendment") readings.set(row.by ?? "", row);
	const segments = [...readings.values()].flatMap((row) =>
		row.value === outcome && row.segment != null ? [row.segment] : [],
	);
	return new Set(segments).size === 1 ? (segments[0] ?? null) : null;
}
