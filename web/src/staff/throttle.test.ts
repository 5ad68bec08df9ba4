/** Tests of the throttle. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Throttle } from "./throttle.ts";

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

it("calls at once, and once more at the end of the interval for all calls in between", () => {
	const act = vi.fn();
	const throttle = new Throttle(1000, act);
	throttle.call();
	throttle.call();
	throttle.call();
	expect(act).toHaveBeenCalledTimes(1);
	vi.advanceTimersByTime(1000);
	expect(act).toHaveBeenCalledTimes(2);
	vi.advanceTimersByTime(5000);
	expect(act).toHaveBeenCalledTimes(2);
});

it("makes no further call after its end", () => {
	const act = vi.fn();
	const throttle = new Throttle(1000, act);
	throttle.call();
	throttle.call();
	throttle.end();
	vi.advanceTimersByTime(5000);
	expect(act).toHaveBeenCalledTimes(1);
});
