/** Describes the evidence of a round for staff: readings of the outcome, reports of the spin, and what is missing. */
import { filled } from "../lib/i18n.svelte.ts";
import { hasSegments } from "../wheel/segments.ts";
import type {
	Direction,
	Evidence,
	GameInfo,
	ReadBy,
	Reading,
	Source,
	SpinReport,
	StaffPosition,
	WheelInfo,
} from "../wire.ts";
import { COMMON, titled } from "./words.ts";

/** A value that makes a spin valid. */
export type SpinValue = "ball" | "wheel" | "revolutions";

/** Where a value of the spin comes from. Null: it was neither measured nor attested. */
export interface SpinFact {
	readonly value: SpinValue;
	readonly is: string | null;
	readonly source: Source | null;
}

export const NO_EVIDENCE: Evidence = {};
export const NOT_MEASURED = "not measured";

const NAMES: Record<SpinValue, string> = { ball: "Ball", wheel: "Wheel", revolutions: "Revolutions" };

/** The positions that are programs of the house. Their reports come from the wheel's line. */
const PROGRAMS: Partial<Record<StaffPosition, true>> = { automatic_dealer: true, system: true };

/** Whether a program of the house gave the evidence, from the wheel's line. */
export function isProgram(source: Source): boolean {
	return PROGRAMS[source.by] ?? false;
}

/** The person or program, with the second person if two attested together. */
export function sourceName(source: Source | null | undefined): string {
	if (!source) return "an unnamed person";
	const first = source.who ?? titled(source.by);
	return source.second ? `${first} and ${source.second}` : first;
}

/** The reader of an outcome: the wheel or a person. */
export function reader({
	source,
	read_by,
}: {
	readonly source?: Source | null | undefined;
	readonly read_by?: ReadBy | undefined;
}): string {
	return read_by === "wheel" || (source && isProgram(source)) ? "the wheel" : sourceName(source);
}

/** The segment of a reading: "segment 17", or that it was not read. Empty at a wheel without segments. */
export function segmentText(wheel: Pick<WheelInfo, "spun">, segment: number | null | undefined): string {
	if (!hasSegments(wheel)) return "";
	return segment == null ? COMMON.segmentNotRead : filled(COMMON.segment, { segment });
}

/** An outcome as staff name it: "17", or "5, segment 4" where a reading has a segment. */
export function outcomeText(outcome: string, segment: number | null | undefined): string {
	return segment == null ? outcome : `${outcome}, ${filled(COMMON.segment, { segment })}`;
}

/** How a value came on record: measured by the wheel, or attested by a person. */
export function attested(source: Source | null | undefined): string {
	return source && isProgram(source) ? "measured by the wheel" : `attested by ${sourceName(source)}`;
}

/** One report of the spin in words. */
export function spinText(report: {
	readonly ball?: Direction | null | undefined;
	readonly wheel?: Direction | null | undefined;
	readonly revolutions?: number | null | undefined;
}): string {
	const parts = (["ball", "wheel"] as const).flatMap((value) => (report[value] ? [`${value} ${report[value]}`] : []));
	const count = report.revolutions ?? null;
	return [...parts, count === null ? `revolutions ${NOT_MEASURED}` : `${count} revolutions`].join(", ");
}

/** The values that the spin of this game has, each as first measured or attested. */
export function spinFacts(game: Pick<GameInfo, "wheel">, evidence: Evidence): SpinFact[] {
	const values: SpinValue[] = game.wheel.spun === "ball" ? ["ball", "wheel", "revolutions"] : ["revolutions"];
	return values.map((value) => {
		const report = (evidence.reports ?? []).find((one) => (one[value] ?? null) !== null);
		return { value, is: report === undefined ? null : String(report[value]), source: report?.source ?? null };
	});
}

export function spinValueName(value: SpinValue): string {
	return NAMES[value];
}

/** The values that were neither measured nor attested. The result cannot be confirmed by a person until there are none. */
export function notMeasured(game: Pick<GameInfo, "wheel">, evidence: Evidence): SpinValue[] {
	if (evidence.spin_accepted) return [];
	return spinFacts(game, evidence).flatMap((fact) => (fact.is === null ? [fact.value] : []));
}

/** Whether two reports of the spin contradict each other. */
export function reportsDiffer(evidence: Evidence): boolean {
	const [first, ...others] = evidence.reports ?? [];
	return first !== undefined && !evidence.spin_accepted && others.some((other) => contradicts(first, other));
}

function contradicts(one: SpinReport, other: SpinReport): boolean {
	const values = ["ball", "wheel", "revolutions"] as const;
	if (values.some((value) => one[value] != null && other[value] != null && one[value] !== other[value])) return true;
	const seen = (report: SpinReport) => [...(report.seen ?? [])].sort().join();
	return seen(one) !== seen(other);
}

/** The different outcomes that were read at the wheel. */
export function outcomesRead(evidence: Evidence): string[] {
	return [...new Set((evidence.readings ?? []).map((reading) => reading.outcome))];
}

/** The reading of a person, or null. */
export function readingOf(evidence: Evidence, person: string | null): Reading | null {
	if (person === null) return null;
	return (evidence.readings ?? []).find((one) => !isProgram(one.source) && one.source.who === person) ?? null;
}
