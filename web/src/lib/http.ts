/** What is not live: asked for over HTTP, in the name of whoever this browser is to the house. */
import type { CurrentUser, ErrorBody } from "../wire.ts";

/** An answer that is no success, in the house's words. `reason` is written for the person who reads it. */
export class Refused extends Error {
	constructor(
		readonly status: number,
		readonly refusal: string,
		readonly reason: string,
		/** The whole answer: a table's refusal has its clause, a held request its proposal. */
		readonly body: Record<string, unknown> = {},
	) {
		super(reason || refusal.replaceAll("_", " "));
	}
}

/** No answer at all: the house cannot be reached. */
const UNREACHABLE = "unreachable";

export class Api {
	#csrf = "";

	get<T>(path: string): Promise<T> {
		return this.#ask<T>("GET", path);
	}

	post<T>(path: string, body?: unknown): Promise<T> {
		return this.#ask<T>("POST", path, body);
	}

	put<T>(path: string, body: unknown): Promise<T> {
		return this.#ask<T>("PUT", path, body);
	}

	delete<T>(path: string): Promise<T> {
		return this.#ask<T>("DELETE", path);
	}

	/** Who this browser is. Asked before anything is changed, because the answer has the token that changes need. */
	async me(): Promise<CurrentUser> {
		return this.knows(await this.get<CurrentUser>("/api/me"));
	}

	/** Whoever was just admitted has another token. */
	knows(me: CurrentUser): CurrentUser {
		this.#csrf = me.csrf ?? "";
		return me;
	}

	async #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
		const headers: Record<string, string> = {};
		if (method !== "GET") headers["X-CSRF-Token"] = this.#csrf;
		if (body !== undefined) headers["Content-Type"] = "application/json";
		let response: Response;
		try {
			response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
		} catch {
			throw new Refused(0, UNREACHABLE, "The house cannot be reached.");
		}
		if (response.status === 200 || response.status === 201) return (await response.json()) as T;
		throw refused(response.status, await response.text());
	}
}

function refused(status: number, text: string): Refused {
	try {
		const said = JSON.parse(text) as ErrorBody & Record<string, unknown>;
		return new Refused(status, said.refusal, said.reason ?? "", said);
	} catch {
		return new Refused(status, "not_understood", `The house answered ${status}.`);
	}
}
