import type { Chance } from '../chance.ts'

export const WIDTH = 1200
export const HEIGHT = 800

export const hsl = (hue: number, saturation: number, light: number) =>
  `hsl(${Math.round(hue + 360) % 360},${Math.round(saturation)}%,${Math.round(light)}%)`

export const gradient = (id: string, stops: [number, string][], direction = 'x1="0" y1="0" x2="0" y2="1"') =>
  `<linearGradient id="${id}" ${direction}>${stops.map(([at, colour]) => `<stop offset="${at}" stop-color="${colour}"/>`).join('')}</linearGradient>`

export const glow = (id: string, colour: string) =>
  `<radialGradient id="${id}"><stop offset="0" stop-color="${colour}"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>`

export const rectangle = (y: number, height: number, fill: string) =>
  `<rect x="0" y="${y}" width="${WIDTH}" height="${height}" fill="${fill}"/>`

export function ridge(chance: Chance, base: number, height: number, fill: string, roughness = 1): string {
  const waves = Array.from({ length: 5 }, (_, n) => ({
    size: (height * 0.6) / (n + 1) ** (1.25 / roughness),
    pace: (1.2 + chance.number()) * 1.9 ** n,
    start: chance.number() * 7,
  }))
  const points: string[] = []
  for (let x = 0; x <= WIDTH; x += 12) {
    const y = waves.reduce(
      (sum, { size, pace, start }) => sum - size * Math.sin((x / WIDTH) * pace * 3 + start),
      base,
    )
    points.push(`${x},${y.toFixed(1)}`)
  }
  return `<polygon points="0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}" fill="${fill}"/>`
}

export const many = (count: number, draw: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => draw(n)).join('')

export const blur = (filter: 'soft' | 'softer', body: string) => `<g filter="url(#${filter})">${body}</g>`

export const fir = (x: number, y: number, size: number, fill: string) =>
  many(4, (n) => {
    const [top, wide] = [y - size + n * size * 0.2, size * (0.12 + n * 0.075)]
    return `<polygon points="${x},${top} ${x - wide},${top + size * 0.38} ${x + wide},${top + size * 0.38}" fill="${fill}"/>`
  })

export const BLURS =
  '<filter id="soft"><feGaussianBlur stdDeviation="6"/></filter><filter id="softer"><feGaussianBlur stdDeviation="22"/></filter>'

export type Drawing = { defs: string; body: string }
