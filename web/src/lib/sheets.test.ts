import { expect, it } from "vitest";
import type { Api } from "./http.ts";
import { Sheets } from "./sheets.ts";

function house(answers: (path: string) => unknown): { api: Api; asked: string[] } {
	const asked: string[] = [];
	const get = async (path: string) => {
		asked.push(path);
		return answers(path);
	};
	return { api: { get } as unknown as Api, asked };
}

it("asks once for what does not change, by the rulebook's hash", async () => {
	const { api, asked } = house((path) => (path.endsWith("/odds") ? { odds: [path] } : { path }));
	const sheets = new Sheets(api);
	await Promise.all([sheets.game("a b"), sheets.game("a b"), sheets.odds("a b", "L/1"), sheets.odds("a b", "L/1")]);
	expect(asked).toEqual(["/api/games/a%20b", "/api/games/a%20b/layouts/L%2F1/odds"]);
});

it("asks again for what it did not get", async () => {
	let times = 0;
	const { api } = house(() => {
		times += 1;
		if (times === 1) throw new Error("no line");
		return { packages: ["there"] };
	});
	const sheets = new Sheets(api);
	await expect(sheets.packages("h", "t")).rejects.toThrow("no line");
	expect(await sheets.packages("h", "t")).toEqual(["there"]);
});
