/** The currency of the house. A house has one, from its first start on, and all amounts are in its minor units. */

/** The currency code that the server uses for play money. It is not shown. */
export const PLAY_MONEY = "XXX";

class HouseCurrency {
	code = $state(PLAY_MONEY);

	/** Sets the currency that the server sent with the identity, before any amount is shown or typed. */
	use(code: string | undefined): void {
		this.code = code ?? PLAY_MONEY;
	}
}

export const houseCurrency = new HouseCurrency();
