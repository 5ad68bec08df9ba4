/** The time zone of the house. Every screen shows times in it, wherever the browser stands. */

class HouseTime {
	zone = $state("UTC");

	/** Takes the zone that the server sent. A zone that this browser does not know leaves UTC, which is named with each time. */
	use(zone: string): void {
		try {
			new Intl.DateTimeFormat("en-GB", { timeZone: zone });
			this.zone = zone;
		} catch {
			this.zone = "UTC";
		}
	}
}

export const houseTime = new HouseTime();
