/** Spans of time as they stand on a clock. */

export function span(millis: number): string {
	const minutes = Math.trunc(millis / 60_000);
	return `${Math.trunc(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}
