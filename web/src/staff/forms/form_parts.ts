/** The contract between a request form and its screen: the form supplies the fields and the request, the screen the frame and the buttons. */
import type { Snippet } from "svelte";
import type { ClientRequest } from "../../lib/connection.ts";

export interface FormParts {
	readonly title: string;
	/** The label of the submit button. */
	readonly confirm: string;
	/** Whether the request voids rounds or closes the table, so that its button warns. */
	readonly danger: boolean;
	/** Whether the fields are complete. */
	readonly ready: boolean;
	readonly request: () => ClientRequest;
	/** A second request that needs no fields. */
	readonly alternative?: { readonly label: string; readonly request: () => ClientRequest };
	readonly fields: Snippet;
}

export type FormFrame = Snippet<[FormParts]>;
