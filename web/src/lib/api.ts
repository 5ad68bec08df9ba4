/** The HTTP client of the screens. It sends the CSRF token with every change and throws `Refused` for every failure. */
import type { CurrentUser, ErrorBody, TableEvent } from "../wire.ts";
import { houseCurrency } from "./house_currency.svelte.ts";
import { houseTime } from "./house_time.svelte.ts";
import { type RefusalMessage, refusalMessage } from "./refusals.ts";

/** Thrown when a request fails. `refusal` is the server's code, `reason` a sentence for the person at the screen. */
export class Refused extends Error {
	constructor(
		readonly status: number,
		readonly refusal: string,
		readonly reason: string,
		/** The whole answer. A table's refusal also has a clause; a request that needs approval has a proposal. */
		readonly body: Record<string, unknown> = {},
	) {
		super(reason || refusal.replaceAll("_", " "));
	}
}

/** The code used when there is no answer from the server. */
const UNREACHABLE = "unreachable";

export class Api {
	#csrf = "";

	get<T>(path: string): Promise<T> {
		return this.#request<T>("GET", path);
	}

	post<T>(path: string, body?: unknown): Promise<T> {
		return this.#request<T>("POST", path, body);
	}

	put<T>(path: string, body: unknown): Promise<T> {
		return this.#request<T>("PUT", path, body);
	}

	delete<T>(path: string): Promise<T> {
		return this.#request<T>("DELETE", path);
	}

	/** Returns the identity of this browser. Call it before any change: its answer contains the CSRF token. */
	async me(): Promise<CurrentUser> {
		return this.setIdentity(await this.get<CurrentUser>("/api/me"));
	}

	/** Stores the CSRF token of a new identity, and the time zone and the currency of the house. */
	setIdentity(me: CurrentUser): CurrentUser {
		this.#csrf = me.csrf ?? "";
		houseTime.use(me.time_zone);
		houseCurrency.use(me.currency);
		return me;
	}

	async #request<T>(method: string, path: string, body?: unknown): Promise<T> {
		const headers: Record<string, string> = {};
		if (method !== "GET") headers["X-CSRF-Token"] = this.#csrf;
		if (body !== undefined) headers["Content-Type"] = "application/json";
		let response: Response;
		try {
			response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
		} catch {
			throw new Refused(0, UNREACHABLE, "The server cannot be reached.");
		}
		if (response.status === 200 || response.status === 201) return (await response.json()) as T;
		throw refused(response.status, await response.text());
	}
}

function refused(status: number, text: string): Refused {
	try {
		const body = JSON.parse(text) as ErrorBody & Record<string, unknown>;
		return new Refused(status, body.refusal, body.reason ?? "", body);
	} catch {
		return new Refused(status, "not_understood", `The server answered with status ${status}.`);
	}
}

/** The message for staff about an error that a request has thrown. */
export function errorMessage(error: unknown): RefusalMessage {
	if (error instanceof Refused) return refusalMessage({ ...error.body, refusal: error.refusal, reason: error.reason });
	return { ...refusalMessage({ refusal: "our_own_bug" }), detail: String(error) };
}

/** The result of a request: done, waiting for a second person, or refused. */
export type Reply =
	| { readonly did: "done"; readonly events: readonly TableEvent[] }
	| { readonly did: "proposed"; readonly proposal: string; readonly position: string }
	| { readonly did: "refused"; readonly message: RefusalMessage };

/** The reply to an HTTP request, in the form of a table's reply. */
export async function replyTo(request: Promise<unknown>): Promise<Reply> {
	try {
		await request;
		return { did: "done", events: [] };
	} catch (error) {
		return { did: "refused", message: errorMessage(error) };
	}
}
