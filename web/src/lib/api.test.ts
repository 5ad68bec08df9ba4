/** Tests of the HTTP client. */
import { afterEach, expect, it, vi } from "vitest";
import { Api, errorMessage, Refused, replyTo } from "./api.ts";
import { houseTime } from "./house_time.svelte.ts";

afterEach(() => {
	vi.unstubAllGlobals();
});

/** Answers every request with this status and body, and records the requests. */
function answering(status: number, body: string): { method: string; headers: Record<string, string> }[] {
	const requests: { method: string; headers: Record<string, string> }[] = [];
	vi.stubGlobal("fetch", async (_: string, init: { method: string; headers: Record<string, string> }) => {
		requests.push(init);
		return new Response(body, { status });
	});
	return requests;
}

it("sends the CSRF token with every change, but not with GET", async () => {
	const requests = answering(200, JSON.stringify({ kind: "person", csrf: "token", time_zone: "Asia/Singapore" }));
	const api = new Api();
	await api.me();
	await api.post("/api/lock");
	expect(requests.map(({ headers }) => headers["X-CSRF-Token"])).toEqual([undefined, "token"]);
});

it("uses the time zone that the server sends, or UTC if the browser does not know it", async () => {
	for (const [sent, used] of [
		["Asia/Singapore", "Asia/Singapore"],
		["Atlantis/Capital", "UTC"],
	]) {
		answering(200, JSON.stringify({ kind: "nobody", csrf: null, time_zone: sent }));
		await new Api().me();
		expect(houseTime.zone).toBe(used);
	}
});

it("throws the server's refusal with its reason", async () => {
	answering(409, JSON.stringify({ refusal: "not_locked", reason: "why" }));
	await expect(new Api().post("/api/unlock")).rejects.toMatchObject({
		status: 409,
		refusal: "not_locked",
		reason: "why",
	});
});

it("throws a refusal for an answer that is not JSON, and if there is no answer", async () => {
	answering(502, "<html>");
	await expect(new Api().get("/api/me")).rejects.toMatchObject({ status: 502, refusal: "not_understood" });
	vi.stubGlobal("fetch", async () => {
		throw new TypeError("offline");
	});
	await expect(new Api().get("/api/me")).rejects.toBeInstanceOf(Refused);
	await expect(new Api().get("/api/me")).rejects.toMatchObject({ status: 0, refusal: "unreachable" });
});

it("makes a message from a refusal, and an internal-error message from any other error", () => {
	const refused = new Refused(401, "wrong_name_or_password", "", { clause: null });
	expect(errorMessage(refused).sentence).toMatch(/^The name or the password is wrong/);
	expect(errorMessage(new Error("broken"))).toMatchObject({ refusal: "our_own_bug", detail: "Error: broken" });
});

it("replies done or refused", async () => {
	expect(await replyTo(Promise.resolve())).toEqual({ did: "done", events: [] });
	const reply = await replyTo(Promise.reject(new Refused(409, "not_locked", "")));
	expect(reply).toMatchObject({ did: "refused", message: { refusal: "not_locked" } });
});
