/**
 * The reactive state of the lobby. It polls every few seconds, so that a lobby needs no connection per table.
 * It keeps the last known state if the server does not answer, and reports that.
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
	/** By the hash of the rulebook. */
	games = $state.raw<ReadonlyMap<string, GameInfo>>(new Map());
	reached = $state(true);
	readonly #api = new Api();
	readonly #gameData = new GameData(this.#api);
	#offset = 0;
	#timers: ReturnType<typeof setInterval>[] = [];
	readonly #seen = () => {
		if (!document.hidden) this.#look();
	};

	begin(): () => void {
		this.#look();
		this.#timers = [
			setInterval(() => document.hidden || this.#tables(), TABLES_MILLIS),
			setInterval(() => document.hidden || this.#house(), HOUSE_MILLIS),
			setInterval(() => document.hidden || this.#health(), HOUSE_MILLIS),
		];
		document.addEventListener("visibilitychange", this.#seen);
		return () => {
			for (const timer of this.#timers) clearInterval(timer);
			document.removeEventListener("visibilitychange", this.#seen);
		};
	}

	/** The server's time, estimated. */
	now(): number {
		return Date.now() + this.#offset;
	}

	#look(): void {
		this.#house();
		this.#health();
		this.#tables();
	}

	async #house(): Promise<void> {
		const sent = Date.now();
		try {
			this.house = await this.#api.get<HouseInfo>("/api/house");
			this.#offset = this.house.now - (sent + Date.now()) / 2;
		} catch {
			this.reached = false;
		}
	}

	/** A server that is not healthy answers 503 with the same body. */
	async #health(): Promise<void> {
		try {
			const answer = await fetch("/healthz");
			this.health = (await answer.json()) as Health;
		} catch {
			this.health = null;
		}
	}

	async #tables(): Promise<void> {
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
