/**
 * The configuration of Vite and Vitest. The build goes into the folder that the server serves.
 * Each screen is a separate page, so that a Player's terminal loads no code of the pit desk.
 */
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { PAGES, pages } from "./pages.ts";
import { precompress } from "./precompress.ts";

/** The server to which the development server forwards requests to the API. */
const server = process.env.ROUNDHOUSE_HOUSE ?? "http://127.0.0.1:8080";

export default defineConfig({
	plugins: [pages(), svelte(), precompress()],
	build: {
		outDir: "../src/roundhouse/web/dist",
		emptyOutDir: true,
		target: "es2022",
		// The server's content security policy forbids inline scripts.
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		rolldownOptions: { input: PAGES },
	},
	server: { proxy: { "/api": { target: server, ws: true } } },
	// Without isolation, files share loaded modules. The run takes a third of the processor time.
	test: { include: ["src/**/*.test.ts"], isolate: false },
});
