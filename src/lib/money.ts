/** The largest amount of one movement of points or of wallet money. */
export const MAX_AMOUNT = 10 ** 12

/** Whether a value is an amount that may be moved: an integer from 1 to `MAX_AMOUNT`. */
export function isAmount(n: unknown): n is number {
  return Number.isInteger(n) && (n as number) >= 1 && (n as number) <= MAX_AMOUNT
}
