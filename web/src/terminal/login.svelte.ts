/** The log-in of the terminal: finds out who this browser is and gets it a seat. */
import { Api, Refused } from "../lib/api.ts";
import type {
	CurrentTerminal,
	GameInfo,
	GameRow,
	Games,
	HouseInfo,
	LoggedIn,
	PublicTable,
	Tables,
	TerminalInfo,
} from "../wire.ts";
import { refusalWords } from "./words.ts";

export type Stage = "asking" | "choosing" | "staff" | "seated" | "unreachable";

export class Login {
	stage = $state<Stage>("asking");
	house = $state.raw<HouseInfo | null>(null);
	tables = $state.raw<readonly PublicTable[]>([]);
	games = $state.raw<ReadonlyMap<string, GameRow>>(new Map());
	terminal = $state.raw<CurrentTerminal | null>(null);
	/** Another table that the address names while this guest has a seat. The guest is asked before moving. */
	wanted = $state<string | null>(null);
	busy = $state(false);
	refused = $state("");
	readonly api = new Api();

	/** `wanted` is a table that the address names. A guest is seated there at once. */
	async begin(wanted: string | null): Promise<void> {
		this.stage = "asking";
		try {
			const me = await this.api.me();
			if (me.kind === "terminal" && me.terminal !== null) {
				const { guest, table } = me.terminal;
				this.wanted = guest && wanted !== null && wanted !== table ? wanted : null;
				return this.#sit(me.terminal);
			}
			if (me.kind === "person") this.stage = "staff";
			else {
				await this.#look();
				this.stage = "choosing";
				if (wanted !== null && this.house?.guests) await this.beGuest(wanted);
			}
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			this.refused = refusalWords(error.refusal, error.reason);
			this.stage = "unreachable";
		}
	}

	/** The kinds of terminal of the table's game. */
	async kindsOf(table: PublicTable): Promise<readonly TerminalInfo[]> {
		return (await this.api.get<GameInfo>(`/api/games/${encodeURIComponent(table.game)}`)).terminals;
	}

	beGuest(table: string, terminal?: string): Promise<void> {
		return this.#admit("/api/guest", { table, ...(terminal ? { terminal } : {}) });
	}

	enrol(code: string): Promise<void> {
		return this.#admit("/api/enrol", { code: code.trim() });
	}

	/** Restores the address of the current seat. */
	stay(): void {
		this.wanted = null;
		if (this.terminal !== null) this.#address(this.terminal.table);
	}

	/** Gives up the seat and takes one at the wanted table. */
	async leave(): Promise<void> {
		await this.api.post("/api/log-out").catch(() => undefined);
		const wanted = this.wanted;
		this.wanted = null;
		this.terminal = null;
		this.#address(wanted);
		await this.begin(wanted);
	}

	#address(table: string | null): void {
		const search = table === null ? "" : `?table=${encodeURIComponent(table)}`;
		history.replaceState(null, "", window.location.pathname + search);
	}

	async #look(): Promise<void> {
		const [house, { tables }, { games }] = await Promise.all([
			this.api.get<HouseInfo>("/api/house"),
			this.api.get<Tables>("/api/tables"),
			this.api.get<Games>("/api/games"),
		]);
		this.house = house;
		this.tables = tables;
		this.games = new Map(games.map((game) => [game.id, game]));
	}

	async #admit(path: string, body: unknown): Promise<void> {
		if (this.busy) return;
		this.busy = true;
		this.refused = "";
		try {
			const { me } = await this.api.post<LoggedIn>(path, body);
			this.api.setIdentity(me);
			if (me.terminal !== null) this.#sit(me.terminal);
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			this.refused = refusalWords(error.refusal, error.reason);
		} finally {
			this.busy = false;
		}
	}

	#sit(terminal: CurrentTerminal): void {
		this.terminal = terminal;
		this.stage = "seated";
	}
}
