/** A Vite plugin that compresses the built files, so that the server need not compress them for each request. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(css|html|js|json|svg)$/;
/** Smaller files fit into one packet anyway, so compressing them gains nothing. */
const MIN_BYTES = 512;

export function precompress(): Plugin {
	let folder = "";
	return {
		name: "precompress",
		apply: "build",
		configResolved(config) {
			folder = join(config.root, config.build.outDir);
		},
		closeBundle() {
			for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
				if (!TEXT.test(name)) continue;
				const file = join(folder, name);
				const content = readFileSync(file);
				if (content.length < MIN_BYTES) continue;
				const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
				writeFileSync(`${file}.br`, brotliCompressSync(content, { params: quality }));
				writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
			}
		},
	};
}
