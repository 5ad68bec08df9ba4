/** The names of the panels over the table. The empty name means that no panel is open. */
export type PanelName =
	| ""
	| "menu"
	| "cashier"
	| "history"
	| "rules"
	| "statistics"
	| "session"
	| "favourites"
	| "leave"
	| "last"
	| "contest";
