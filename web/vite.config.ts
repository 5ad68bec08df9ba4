/** Builds one page for each screen, so that a Player's terminal loads nothing of the pit desk, into the folder that the server serves. */
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { PAGES, pages } from "./pages.ts";
import { precompress } from "./precompress.ts";

const house = process.env.ROUNDHOUSE_HOUSE ?? "http://127.0.0.1:8080";

export default defineConfig({
	plugins: [pages(), svelte(), precompress()],
	build: {
		outDir: "../src/roundhouse/web/dist",
		emptyOutDir: true,
		target: "es2022",
		// The content security policy of the server allows only scripts that are files.
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		rolldownOptions: { input: PAGES },
	},
	server: { proxy: { "/api": { target: house, ws: true } } },
	test: { include: ["src/**/*.test.ts"] },
});
