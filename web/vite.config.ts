/** One page for each screen, so that a Player's terminal loads nothing of the pit's desk. Written where the server looks for pages. */
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { precompress } from "./precompress.ts";

const SCREENS = [
	"index.html",
	"terminal/index.html",
	"console/index.html",
	"pit/index.html",
	"display/index.html",
	"recall/index.html",
];
const house = process.env.ROUNDHOUSE_HOUSE ?? "http://127.0.0.1:8080";

export default defineConfig({
	plugins: [svelte(), precompress()],
	build: {
		outDir: "../src/roundhouse/web/dist",
		emptyOutDir: true,
		target: "es2022",
		// The house's content security policy lets no script in that is not a file.
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		rolldownOptions: { input: SCREENS },
	},
	server: { proxy: { "/api": { target: house, ws: true } } },
	test: { include: ["src/**/*.test.ts"] },
});
