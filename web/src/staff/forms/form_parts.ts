/**
 * The interface between a request form and the screen that shows it.
 * The form supplies the fields and the request, the screen supplies the frame and the buttons.
 */
import type { Snippet } from "svelte";
import type { ClientRequest } from "../../lib/connection.ts";

export interface FormParts {
	readonly title: string;
	/** The label of the submit button. */
	readonly confirm: string;
	/** Whether the request voids rounds or closes the table. The screen then shows a warning button. */
	readonly danger: boolean;
	/** Whether the fields are complete. */
	readonly ready: boolean;
	readonly request: () => ClientRequest;
	/** Another request, which needs no fields, with its own button. */
	readonly alternative?: { readonly label: string; readonly request: () => ClientRequest };
	readonly fields: Snippet;
}

export type FormFrame = Snippet<[FormParts]>;
