/** The names of the panels over the table. The empty name is the table itself. */
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
