/** Tests when a loss limit takes effect and how much it leaves. */
import { describe, expect, it } from "vitest";
import { COOLING_MINUTES, changed, leftToLose, limitAt, NO_LIMIT } from "./loss_limit.ts";

const later = COOLING_MINUTES * 60_000;

describe("a loss limit", () => {
	it("takes effect at once when it is set or lowered", () => {
		const set = changed(NO_LIMIT, 5000, 0);
		expect(set).toEqual({ cents: 5000, next: null });
		expect(changed(set, 2000, 0)).toEqual({ cents: 2000, next: null });
	});

	it("is raised or removed only after the delay", () => {
		const raised = changed({ cents: 2000, next: null }, 9000, 0);
		expect(limitAt(raised, later - 1).cents).toBe(2000);
		expect(limitAt(raised, later).cents).toBe(9000);
		const removed = changed({ cents: 2000, next: null }, null, 0);
		expect(limitAt(removed, later - 1).cents).toBe(2000);
		expect(limitAt(removed, later).cents).toBeNull();
	});

	it("cancels a pending raise when it is lowered", () => {
		const raised = changed({ cents: 2000, next: null }, 9000, 0);
		expect(changed(raised, 1000, 5)).toEqual({ cents: 1000, next: null });
	});

	it("counts stakes on the layout as lost and includes winnings", () => {
		expect(leftToLose(NO_LIMIT, -100, 0)).toBeNull();
		expect(leftToLose({ cents: 5000, next: null }, -3000, 500)).toBe(1500);
		expect(leftToLose({ cents: 5000, next: null }, -6000, 0)).toBe(0);
		expect(leftToLose({ cents: 5000, next: null }, 1000, 0)).toBe(6000);
	});
});
