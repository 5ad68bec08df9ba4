/** Tests the order of the alerts. */
import { expect, test } from "vitest";
import type { AlertRow } from "../wire.ts";
import { newestFirst } from "./alert_order.ts";

test("of alerts in one millisecond, the one raised last is the newest", () => {
	const alerts = [
		["first", 1],
		["interrupted", 2],
		["referred", 2],
	].map(([alert, at]) => ({ alert, at }) as AlertRow);
	expect(newestFirst(alerts).map((one) => one.alert)).toEqual(["referred", "interrupted", "first"]);
});
