/** Types of the requests to the cage. */

/** Omit on every member of a union. */
export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
