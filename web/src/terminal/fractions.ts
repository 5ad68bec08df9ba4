/** Exact fractions as people read them. The fraction is the truth; the percentage is cut to what is asked for. */

/** "1/19" with two decimals is 5.26. Rounded half up, on whole numbers. */
export function percent(fraction: string, decimals = 2): string {
	const [above = "0", below = "1"] = fraction.split("/");
	const scale = 10n ** BigInt(decimals + 2);
	const [numerator, denominator] = [BigInt(above), BigInt(below)];
	const negative = numerator < 0n;
	const doubled = ((negative ? -numerator : numerator) * scale * 2n) / denominator;
	const digits = String((doubled + 1n) / 2n).padStart(decimals + 1, "0");
	const whole = digits.slice(0, digits.length - decimals);
	return `${negative ? "−" : ""}${whole}${decimals > 0 ? `.${digits.slice(-decimals)}` : ""} %`;
}
