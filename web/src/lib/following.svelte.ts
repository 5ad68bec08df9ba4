/** Following the house: one table, or all of them for the pit. Gaps are noticed and mended here. */
import type { AlertRow, ProposalRow, ToClient } from "../wire.ts";
import { type Answered, type Asked, type Connection, Line, Lost, type Waiting } from "./line.ts";
import { Standing } from "./standing.svelte.ts";

/** Requests whose answer matters whenever it comes: money that has moved must be seen to have moved. */
const KEEPS_ITS_MEANING = new Set(["cash_out", "buy_credits", "redeem_ticket", "take_seat"]);
/** Requests of a Player, which mean the round in which they were made. */
const MEANS_ITS_ROUND = new Set(["place_bets", "place_package", "withdraw_bets", "undo", "clear", "repeat", "double"]);

abstract class Following {
	connection = $state<Connection>("connecting");
	/** Why the house has closed the line for good. */
	why = $state("");
	/** What was asked and is not yet answered: not registered, as far as anybody here knows. */
	waiting = $state.raw<readonly Waiting[]>([]);
	protected readonly line: Line;
	readonly #resuming = new Set<Standing>();

	constructor(path: string, watches: boolean) {
		this.line = new Line(
			path,
			{
				message: (message) => this.hear(message),
				connection: (connection, why) => {
					this.connection = connection;
					this.why = why;
				},
				waiting: (requests) => {
					this.waiting = requests;
				},
			},
			watches,
		);
	}

	now(): number {
		return this.line.now();
	}

	end(): void {
		this.line.end();
	}

	protected abstract hear(message: ToClient): void;

	protected askAbout(request: Asked, standing: Standing | undefined, id?: string): Promise<Answered> {
		return this.line.ask(request, stillMeant(request, standing), id);
	}

	protected catchUp(standing: Standing, table?: string): void {
		if (this.#resuming.has(standing)) return;
		this.#resuming.add(standing);
		const { epoch, publicNumber, ownNumber } = standing;
		const asked: Asked = { do: "resume", epoch, public: publicNumber, own: ownNumber, ...(table ? { table } : {}) };
		const done = () => {
			this.#resuming.delete(standing);
		};
		this.line.ask(asked, () => false).then(done, done);
	}
}

/** One table: a terminal's, a console's, or everybody's. */
export class FollowedTable extends Following {
	readonly standing = new Standing();

	constructor(table: string, watches = false) {
		super(`/api/tables/${encodeURIComponent(table)}/socket`, watches);
	}

	/** Asks the table. The promise fails with `Lost` where the line broke and the request has lost its meaning. */
	ask(request: Asked, id?: string): Promise<Answered> {
		return this.askAbout(request, this.standing, id);
	}

	newId(): string {
		return this.line.newId();
	}

	protected hear(message: ToClient): void {
		if ("snapshot" in message) {
			this.standing.show(message);
			this.line.settled();
		} else if ("ok" in message) {
			if (!("now" in message) && !this.standing.answer(message as Parameters<Standing["answer"]>[0]))
				this.catchUp(this.standing);
		} else if (!("house" in message) && !this.standing.change(message)) this.catchUp(this.standing);
	}
}

/** All tables, and what waits at the pit's desk. */
export class FollowedPit extends Following {
	tables = $state.raw<ReadonlyMap<string, Standing>>(new Map());
	alerts = $state.raw<readonly AlertRow[]>([]);
	proposals = $state.raw<readonly ProposalRow[]>([]);

	constructor() {
		super("/api/pit/socket", false);
	}

	ask(request: Asked & { table: string }): Promise<Answered> {
		return this.askAbout(request, this.tables.get(request.table));
	}

	/** What is said to the house and not to a table: approve, reject. */
	say(request: Asked): Promise<Answered> {
		return this.line.ask(request, () => false);
	}

	protected hear(message: ToClient): void {
		if ("house" in message) {
			this.alerts = message.house.alerts;
			this.proposals = message.house.proposals;
			if (this.connection !== "live") this.line.settled();
		} else if ("snapshot" in message) {
			const id = message.snapshot.table.id;
			const known = this.tables.get(id) ?? new Standing();
			known.show(message);
			if (!this.tables.has(id)) this.tables = new Map([...this.tables, [id, known]]);
		} else if (!("ok" in message) && message.table !== undefined) {
			const standing = this.tables.get(message.table);
			if (standing && !standing.change(message)) this.catchUp(standing, message.table);
		}
	}
}

function stillMeant(request: Asked, standing: Standing | undefined): () => boolean {
	if (KEEPS_ITS_MEANING.has(request.do)) return () => true;
	const [round, phase] = [standing?.table?.round, standing?.table?.phase];
	if (MEANS_ITS_ROUND.has(request.do)) return () => standing?.table?.round === round;
	return () => standing?.table?.round === round && standing?.table?.phase === phase;
}

export { Lost };
