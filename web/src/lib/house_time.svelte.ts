/** The time zone of the house. All screens show times in it, whatever the browser's own zone is. */

class HouseTime {
	zone = $state("UTC");

	/** Sets the zone that the server sent, or UTC if this browser does not know the zone. */
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
