import type { AlertRow } from "../wire.ts";

/** The alerts, newest first. They are given in the order in which they were raised, several in one millisecond. */
export function newestFirst(alerts: readonly AlertRow[]): AlertRow[] {
	return alerts.toReversed().toSorted((a, b) => b.at - a.at);
}
