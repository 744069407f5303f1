/** The largest amount of one movement of points or of wallet money. */
export const MAX_AMOUNT = 10 ** 12

/** Whether a value is an amount that may be moved: an integer from 1 to `MAX_AMOUNT`. */
export function isAmount(n: unknown): n is number {
  return Number.isInteger(n) && (n as number) >= 1 && (n as number) <= MAX_AMOUNT
}

/** The points that wallet money is worth; `ratio` is points for one fen. */
export const pointsFor = (fen: number, ratio: number): number => fen * ratio

/** The wallet money that points are worth, and what of them is left over: fractions of a fen stay points. */
export function fenFor(points: number, ratio: number): { fen: number; left: number } {
  const fen = Math.floor(points / ratio)
  return { fen, left: points - fen * ratio }
}
