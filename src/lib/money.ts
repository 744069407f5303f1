export const MAX_AMOUNT = 10 ** 12

export function isAmount(n: unknown): n is number {
  return Number.isInteger(n) && (n as number) >= 1 && (n as number) <= MAX_AMOUNT
}

export const pointsFor = (fen: number, ratio: number): number => fen * ratio

export function fenFor(points: number, ratio: number): { fen: number; left: number } {
  const fen = Math.floor(points / ratio)
  return { fen, left: points - fen * ratio }
}
