/** Tests of loading and caching games, layouts, odds and packages. */
import { expect, it } from "vitest";
import type { Api } from "./api.ts";
import { GameData, loadGame, loadTerminalData } from "./game_data.ts";

/** An API that answers from a function and records the requested paths. */
function fakeApi(answer: (path: string) => unknown): { api: Api; requested: string[] } {
	const requested: string[] = [];
	const get = async (path: string) => {
		requested.push(path);
		return answer(path);
	};
	return { api: { get } as unknown as Api, requested };
}

it("requests each resource only once per rulebook hash", async () => {
	const { api, requested } = fakeApi((path) => (path.endsWith("/odds") ? { odds: [path] } : { path }));
	const data = new GameData(api);
	await Promise.all([data.game("a b"), data.game("a b"), data.odds("a b", "L/1"), data.odds("a b", "L/1")]);
	expect(requested).toEqual(["/api/games/a%20b", "/api/games/a%20b/layouts/L%2F1/odds"]);
});

it("requests a resource again after a failure", async () => {
	let times = 0;
	const { api } = fakeApi(() => {
		times += 1;
		if (times === 1) throw new Error("offline");
		return { packages: ["there"] };
	});
	const data = new GameData(api);
	await expect(data.packages("h", "t")).rejects.toThrow("offline");
	expect(await data.packages("h", "t")).toEqual(["there"]);
});

const GAME = { hash: "h", layouts: ["A", "B"], terminals: [{ id: "k", layout: "B" }] };
const RED = { id: "red", staked: 1, returns: { "1": 2 } };

function server(path: string): unknown {
	if (path.endsWith("/odds")) return { odds: [RED] };
	if (path.endsWith("/packages")) return { packages: [{ id: "tiers" }] };
	const layout = /\/layouts\/(.)$/.exec(path)?.[1];
	if (layout === undefined) return GAME;
	return { id: layout, positions: [{ id: "red" }], boxes: [{ position: "red", label: "RED" }] };
}

it("loads a game with all its layouts and odds", async () => {
	const game = await loadGame(new GameData(fakeApi(server).api), "h");
	expect([...game.layouts.keys()]).toEqual(["A", "B"]);
	expect(game.returns.get("B")?.get("red")).toEqual(RED);
});

it("loads the data of a terminal with the layout of that terminal", async () => {
	const data = await loadTerminalData(new GameData(fakeApi(server).api), "h", "k");
	expect([data.layout.id, data.labels.get("red"), data.odds.get("red")]).toEqual(["B", "RED", RED]);
	expect([...data.packages.keys()]).toEqual(["tiers"]);
});

it("rejects a terminal that the rulebook does not have", async () => {
	await expect(loadTerminalData(new GameData(fakeApi(server).api), "h", "x")).rejects.toThrow("no terminal x");
});
