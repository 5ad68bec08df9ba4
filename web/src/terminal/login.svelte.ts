/** The log-in of the terminal: identifies this browser and gets it a seat. */
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
import { refusalText } from "./words.ts";

export type Stage = "loading" | "choosing" | "staff" | "seated" | "unreachable";

export class Login {
	stage = $state<Stage>("loading");
	house = $state.raw<HouseInfo | null>(null);
	tables = $state.raw<readonly PublicTable[]>([]);
	games = $state.raw<ReadonlyMap<string, GameRow>>(new Map());
	terminal = $state.raw<CurrentTerminal | null>(null);
	/** The table in the address, if it is not the table of this guest's seat. The guest confirms before moving there. */
	wanted = $state<string | null>(null);
	busy = $state(false);
	refused = $state("");
	readonly api = new Api();

	/** Starts the log-in. `wanted` is the table in the address, or null. A guest gets a seat there without choosing. */
	async begin(wanted: string | null): Promise<void> {
		this.stage = "loading";
		try {
			const me = await this.api.me();
			if (me.kind === "terminal" && me.terminal !== null) {
				const { guest, table } = me.terminal;
				this.wanted = guest && wanted !== null && wanted !== table ? wanted : null;
				return this.#sit(me.terminal);
			}
			if (me.kind === "person") this.stage = "staff";
			else {
				await this.#loadHouse();
				this.stage = "choosing";
				if (wanted !== null && this.house?.guests) await this.enterAsGuest(wanted);
			}
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			this.refused = refusalText(error.refusal, error.reason);
			this.stage = "unreachable";
		}
	}

	/** The kinds of terminal of the table's game. */
	async kindsOf(table: PublicTable): Promise<readonly TerminalInfo[]> {
		return (await this.api.get<GameInfo>(`/api/games/${encodeURIComponent(table.game)}`)).terminals;
	}

	enterAsGuest(table: string, terminal?: string): Promise<void> {
		return this.#logIn("/api/guest", { table, ...(terminal ? { terminal } : {}) });
	}

	enrol(code: string): Promise<void> {
		return this.#logIn("/api/enrol", { code: code.trim() });
	}

	/** Stays at the current table and restores its address. */
	stay(): void {
		this.wanted = null;
		if (this.terminal !== null) this.#setAddress(this.terminal.table);
	}

	/** Gives up the seat and starts again, at the wanted table if there is one. */
	async leave(): Promise<void> {
		// A guest's browser can claim later what bets on the layout win.
		const route = this.terminal?.guest ? "/api/leave" : "/api/log-out";
		await this.api.post(route).catch(() => undefined);
		const wanted = this.wanted;
		this.wanted = null;
		this.terminal = null;
		this.#setAddress(wanted);
		await this.begin(wanted);
	}

	#setAddress(table: string | null): void {
		const search = table === null ? "" : `?table=${encodeURIComponent(table)}`;
		history.replaceState(null, "", window.location.pathname + search);
	}

	async #loadHouse(): Promise<void> {
		const [house, { tables }, { games }] = await Promise.all([
			this.api.get<HouseInfo>("/api/house"),
			this.api.get<Tables>("/api/tables"),
			this.api.get<Games>("/api/games"),
		]);
		this.house = house;
		this.tables = tables;
		this.games = new Map(games.map((game) => [game.id, game]));
	}

	async #logIn(path: string, body: unknown): Promise<void> {
		if (this.busy) return;
		this.busy = true;
		this.refused = "";
		try {
			const { me } = await this.api.post<LoggedIn>(path, body);
			this.api.setIdentity(me);
			if (me.terminal !== null) this.#sit(me.terminal);
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			this.refused = refusalText(error.refusal, error.reason);
		} finally {
			this.busy = false;
		}
	}

	#sit(terminal: CurrentTerminal): void {
		this.terminal = terminal;
		this.stage = "seated";
	}
}
