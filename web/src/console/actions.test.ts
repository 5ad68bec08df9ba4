import { describe, expect, it } from "vitest";
import type { Authority, IrregularityInfo, Moment, Phase, Role } from "../wire.ts";
import { type Circumstances, courseOf, mayServeTheCage, offers, PHASES } from "./actions.ts";

const LADDER = ["dealer", "pit_supervisor", "pit_manager", "shift_manager", "casino_manager"] as const;

function authority(higher: string | null): Authority {
	const decides = { position: "shift_manager", clause: "5.10", or_above: true, interpretation: true } as const;
	return { ladder: [...LADDER], declares: [], decides, acting: null, higher_may_act: higher, titles: {} };
}

function irregularity(id: string, declared_by: Role[]): IrregularityInfo {
	const by = declared_by as IrregularityInfo["declared_by"];
	return { id, clause: "5", words: "", effect: "void_round", until: "settlement", declared_by: by, voids: true };
}

interface Varied {
	moment?: Moment;
	mode?: "automatic" | "manual";
	positions?: Role[];
	higher?: string | null;
	automatic?: boolean;
	irregularities?: IrregularityInfo[];
}

function at(phase: Phase, varied: Varied = {}): Circumstances {
	const { moment = "before_spin", mode = "manual", positions = ["dealer"], higher = null } = varied;
	const closes = { phrases: [], clause: "", moment, moment_clause: "" };
	const late = { effect: "refused", clause: "" } as const;
	return {
		phase,
		mode,
		automatic: varied.automatic ?? false,
		positions,
		sheet: {
			authority: authority(higher),
			irregularities: varied.irregularities ?? [],
			betting: {
				announced_by: "terminal",
				opens: { phrases: [], clause: "" },
				closes,
				late_bet: late,
				late_withdrawal: late,
				limits: null,
			},
		},
	};
}

function primary(phase: Phase, varied: Varied = {}): string[] {
	return [...offers(at(phase, varied))].filter(([, offer]) => offer === "primary").map(([action]) => action);
}

describe("the next right step", () => {
	// Written down by hand from the rules' order of a round.
	it.each([
		["closed", "open_table", "open_table", "open_table"],
		["idle", "open_bets", "open_bets", "open_bets"],
		["bets_open", "close_bets", "close_bets", "start_spin"],
		["spinning_bets_open", "close_bets", "close_bets", "close_bets"],
		["bets_closed", "start_spin", "start_spin", "start_spin"],
		["spinning", "enter_result", "enter_result", "enter_result"],
		["at_rest", "enter_result", "enter_result", "enter_result"],
		["registered", "confirm_result", "confirm_result", "confirm_result"],
		["referred", "", "", ""],
		["stopped", "", "", ""],
	] as [Phase, string, string, string][])(
		"in %s is one, for each moment of closing",
		(phase, before, choice, during) => {
			expect(primary(phase, { moment: "before_spin" }).join()).toBe(before);
			expect(primary(phase, { moment: "operators_choice" }).join()).toBe(choice);
			expect(primary(phase, { moment: "while_spinning" }).join()).toBe(during);
		},
	);

	it("is not offered in automatic mode, except for opening the table", () => {
		for (const phase of PHASES) {
			const expected = phase === "closed" ? ["open_table"] : [];
			expect(primary(phase, { mode: "automatic" })).toEqual(expected);
		}
	});

	it("is a Dealer's, and a higher position's only where the rulebook says so", () => {
		expect(primary("idle", { positions: ["pit_manager"] })).toEqual([]);
		expect(primary("idle", { positions: ["pit_manager"], higher: "6.2" })).toEqual(["open_bets"]);
		expect(primary("idle", { positions: ["auditor"], higher: "6.2" })).toEqual([]);
		expect(primary("idle", { positions: ["cashier"] })).toEqual([]);
	});
});

describe("the other steps", () => {
	it("let the spin start with bets open only where the operator may choose", () => {
		const start = (moment: Moment) => offers(at("bets_open", { moment })).get("start_spin");
		expect([start("before_spin"), start("operators_choice"), start("while_spinning")]).toEqual([
			undefined,
			"offered",
			"primary",
		]);
		expect(offers(at("bets_open", { moment: "while_spinning" })).has("close_bets")).toBe(false);
	});

	it("have no spin where the rulebook has the call, for whom it names", () => {
		expect(offers(at("spinning")).has("call_no_spin")).toBe(false);
		const irregularities = [irregularity("no_spin", ["dealer"])];
		expect(offers(at("spinning", { irregularities })).get("call_no_spin")).toBe("offered");
		expect(offers(at("idle", { irregularities })).has("call_no_spin")).toBe(false);
		expect(offers(at("spinning", { irregularities, positions: ["shift_manager"] })).has("call_no_spin")).toBe(false);
	});

	it("let a wrong result be named by those above the Dealer alone", () => {
		const irregularities = [irregularity("wrong_result_registered", ["pit_supervisor"])];
		expect(offers(at("registered", { irregularities })).has("correct_result")).toBe(false);
		expect(offers(at("registered", { irregularities, positions: ["pit_supervisor"] })).has("correct_result")).toBe(
			true,
		);
	});

	it("take over from the automatic dealer, and hand back only to one that exists", () => {
		expect(offers(at("idle", { mode: "automatic" })).has("take_over")).toBe(true);
		expect(offers(at("idle", { mode: "manual" })).has("hand_back")).toBe(false);
		expect(offers(at("idle", { mode: "manual", automatic: true })).has("hand_back")).toBe(true);
	});

	it("are none at a table that has stopped, and none for an auditor", () => {
		expect(offers(at("stopped")).size).toBe(0);
		for (const phase of PHASES) expect(offers(at(phase, { positions: ["auditor"] })).size).toBe(0);
	});
});

it("shows the course of a round in the rulebook's order", () => {
	expect(courseOf("before_spin")).toEqual(["idle", "bets_open", "bets_closed", "spinning", "at_rest", "registered"]);
	expect(courseOf("while_spinning")[2]).toBe("spinning_bets_open");
});

it("lets the cashier serve the cage, and nothing else", () => {
	expect(mayServeTheCage(authority(null), ["cashier"])).toBe(true);
	expect(mayServeTheCage(authority(null), ["pit_manager"])).toBe(false);
	expect(mayServeTheCage(authority("6.2"), ["pit_manager"])).toBe(true);
	expect(offers(at("bets_open", { positions: ["cashier"] })).size).toBe(0);
});
