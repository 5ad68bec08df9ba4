/** A seat at a table: the line to the house and everything that a Player does here, put together once. */
import { FollowedTable } from "../lib/following.svelte.ts";
import { type Api, Refused } from "../lib/http.ts";
import type { CurrentTerminal, OwnSeat, PublicTable } from "../wire.ts";
import { Betting } from "./betting.svelte.ts";
import { Cashing } from "./cashing.svelte.ts";
import { Endings } from "./endings.svelte.ts";
import { Notices } from "./notices.svelte.ts";
import { Playing } from "./playing.svelte.ts";
import { type Sheets, sheetsOf } from "./sheets.ts";
import { Sound } from "./sound.svelte.ts";
import { refusalWords } from "./words.ts";

export class Seat {
	readonly followed: FollowedTable;
	readonly betting: Betting;
	readonly playing: Playing;
	readonly cashing: Cashing;
	readonly endings: Endings;
	readonly notices = new Notices();
	readonly sound = new Sound();
	sheets = $state.raw<Sheets | null>(null);
	/** Why this seat cannot be played, in words. */
	fault = $state("");
	#asked = false;
	#sheetsFor = "";

	constructor(
		readonly api: Api,
		readonly terminal: CurrentTerminal,
	) {
		this.followed = new FollowedTable(terminal.table);
		const sheets = () => this.sheets;
		this.playing = new Playing(api, this.followed, terminal.table, terminal.seat);
		this.betting = new Betting(this.followed, sheets, this.playing, this.notices, (what) =>
			what === "placed" ? this.sound.chip() : this.sound.taken(),
		);
		this.cashing = new Cashing(this.followed, terminal.table, terminal.seat);
		this.endings = new Endings(this.followed, sheets);
		this.followed.standing.onNews(({ to, event }) => {
			if (to === "all" && event.event === "bets_closed.v1") this.sound.noMoreBets();
		});
	}

	get table(): PublicTable | null {
		return this.followed.standing.table;
	}

	get own(): OwnSeat | null {
		return this.followed.standing.own;
	}

	get currency(): string {
		return this.table?.facts.currency ?? "";
	}

	/** To be called when the line is live, and when a table that was closed is open: takes the seat if nobody has, and asks for what was left open. */
	arrive(): void {
		const table = this.table;
		if (table === null) return;
		void this.playing.begin(table.round);
		if (this.own === null) {
			void this.#takeSeat();
			return;
		}
		void this.learn(table.rulebook, this.own.terminal);
		this.cashing.resume();
		void this.endings.recall(this.api, this.terminal.seat);
	}

	/** A table that is opened again may play by another rulebook. */
	async learn(rulebook: string, kind: string): Promise<void> {
		if (this.#sheetsFor === rulebook + kind) return;
		this.#sheetsFor = rulebook + kind;
		this.fault = "";
		try {
			this.sheets = await sheetsOf(this.api, rulebook, kind);
			if (this.betting.chip === 0) this.betting.chooseFrom(this.table?.facts.chips ?? []);
		} catch (error) {
			this.#sheetsFor = "";
			this.fault = error instanceof Refused ? refusalWords(error.refusal, error.reason) : String(error);
		}
	}

	end(): void {
		this.playing.end();
		this.followed.end();
	}

	async #takeSeat(): Promise<void> {
		if (this.#asked) return;
		this.#asked = true;
		this.fault = "";
		const answer = await this.followed.ask({ do: "take_seat", terminal: this.terminal.terminal }).catch(() => null);
		if (answer === null || answer.ok) return;
		this.#asked = false;
		this.fault = refusalWords(answer.refusal ?? "", answer.reason ?? "");
	}
}
