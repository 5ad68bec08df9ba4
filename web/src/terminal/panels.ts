/** What can be opened over the table. Nothing: the table itself. */
export type Panel =
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
