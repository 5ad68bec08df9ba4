/** What is asked of the house over HTTP, with its answer told like a table's. */
import { sayingOfError } from "../staff/refusals.ts";
import type { Outcome } from "./desk.svelte.ts";

export async function posted(asked: Promise<unknown>): Promise<Outcome> {
	try {
		await asked;
		return { did: "done", events: [] };
	} catch (error) {
		return { did: "refused", saying: sayingOfError(error) };
	}
}
