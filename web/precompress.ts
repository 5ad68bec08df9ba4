/** Compresses what was built, once and as well as it goes, so that the house need not do it for every browser. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(css|html|js|json|svg)$/;
/** Below this the packet is as good as empty anyway. */
const SMALL = 512;

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
				if (content.length < SMALL) continue;
				const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
				writeFileSync(`${file}.br`, brotliCompressSync(content, { params: quality }));
				writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
			}
		},
	};
}
