/**
 * The reactive state of the lobby. It polls the server, so that the lobby needs no connection per table.
 * If the server does not answer, it keeps the last known state and sets `reached` to false.
 */
import { Api } from "../lib/api.ts";
import { GameData } from "../lib/game_data.ts";
import type { GameInfo, Health, HouseInfo, PublicTable, Tables } from "../wire.ts";

const TABLES_MILLIS = 2_000;
const HOUSE_MILLIS = 15_000;

export class LobbyStore {
	house = $state.raw<HouseInfo | null>(null);
	health = $state.raw<Health | null>(null);
	tables = $state.raw<PublicTable[]>([]);
	/** Maps the hash of a rulebook to its game. */
	games = $state.raw<ReadonlyMap<string, GameInfo>>(new Map());
	/** Whether the server has answered the last request. */
	reached = $state(true);
	readonly #api = new Api();
	readonly #gameData = new GameData(this.#api);
	/** Server time minus local time, in milliseconds. */
	#offset = 0;
	#timers: ReturnType<typeof setInterval>[] = [];
	readonly #onVisibility = () => {
		if (!document.hidden) this.#refresh();
	};

	/** Starts polling. Returns a function that stops it. */
	begin(): () => void {
		this.#refresh();
		this.#timers = [
			setInterval(() => document.hidden || this.#loadTables(), TABLES_MILLIS),
			setInterval(() => document.hidden || this.#loadHouse(), HOUSE_MILLIS),
			setInterval(() => document.hidden || this.#loadHealth(), HOUSE_MILLIS),
		];
		document.addEventListener("visibilitychange", this.#onVisibility);
		return () => {
			for (const timer of this.#timers) clearInterval(timer);
			document.removeEventListener("visibilitychange", this.#onVisibility);
		};
	}

	/** The server's time in milliseconds, estimated from the last answer. */
	now(): number {
		return Date.now() + this.#offset;
	}

	#refresh(): void {
		this.#loadHouse();
		this.#loadHealth();
		this.#loadTables();
	}

	async #loadHouse(): Promise<void> {
		const sent = Date.now();
		try {
			this.house = await this.#api.get<HouseInfo>("/api/house");
			this.#offset = this.house.now - (sent + Date.now()) / 2;
		} catch {
			this.reached = false;
		}
	}

	/** A server that is not healthy answers 503 with the same body. */
	async #loadHealth(): Promise<void> {
		try {
			const answer = await fetch("/healthz");
			this.health = (await answer.json()) as Health;
		} catch {
			this.health = null;
		}
	}

	async #loadTables(): Promise<void> {
		try {
			const { tables } = await this.#api.get<Tables>("/api/tables");
			const missing = [...new Set(tables.map((table) => table.rulebook))].filter((hash) => !this.games.has(hash));
			const found = await Promise.all(missing.map((hash) => this.#gameData.game(hash)));
			if (found.length > 0) this.games = new Map([...this.games, ...found.map((game) => [game.hash, game] as const)]);
			this.tables = tables;
			this.reached = true;
		} catch {
			this.reached = false;
		}
	}
}
