/** Parses and formats the address of a round in recall. Pure functions. */

export interface Place {
	readonly table: string | null;
	readonly round: number | null;
}

export function placeOf(search: string): Place {
	const query = new URLSearchParams(search);
	const round = Number(query.get("round"));
	return { table: query.get("table") || null, round: Number.isSafeInteger(round) && round > 0 ? round : null };
}

export function addressOf(place: Place): string {
	const query = new URLSearchParams();
	if (place.table) query.set("table", place.table);
	if (place.round) query.set("round", String(place.round));
	const text = query.toString();
	return text ? `?${text}` : "?";
}
