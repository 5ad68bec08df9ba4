/**
 * A Vite plugin that makes the entry page of each screen from the template `index.html`.
 * The pages are not files of the repository: they exist only in the build and in the development server.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Plugin } from "vite";

/** Maps the address of each screen to its folder in `src`. */
const SCREENS: Record<string, string> = {
	"/": "lobby",
	"/terminal/": "terminal",
	"/console/": "console",
	"/pit/": "pit",
	"/display/": "display",
	"/recall/": "recall",
	"/cage/": "cage",
};

/** The paths of the pages, relative to the project root: the entry points of the build. */
export const PAGES = Object.keys(SCREENS).map((address) => posix.join(address.slice(1), "index.html"));

export function pages(): Plugin {
	let root = "";
	const page = (screen: string) => readFileSync(join(root, "index.html"), "utf8").replace("{screen}", screen);
	const screenOf = (file: string) =>
		file.startsWith(root) && file.endsWith("/index.html")
			? SCREENS[file.slice(root.length, -"index.html".length)]
			: undefined;
	return {
		name: "pages",
		enforce: "pre",
		configResolved(config) {
			root = config.root;
		},
		resolveId(source) {
			const file = posix.join(root, source);
			return screenOf(source) !== undefined ? source : screenOf(file) !== undefined ? file : null;
		},
		load(id) {
			const screen = screenOf(id);
			return screen === undefined ? null : page(screen);
		},
		configureServer(server) {
			server.middlewares.use(async (request, response, next) => {
				const address = new URL(request.url ?? "/", "http://localhost").pathname;
				const screen = SCREENS[address];
				if (screen === undefined) return next();
				response.setHeader("Content-Type", "text/html");
				response.end(await server.transformIndexHtml(address, page(screen), request.url));
			});
		},
	};
}
