/** What can be opened over the table. Nothing: the table itself. */
export type PanelName =
	| ""
	| "menu"
	| "cashier"
	| "history"
	| "rules"
	| "statistics"
	| "care"
	| "favourites"
	| "leave"
	| "last";
