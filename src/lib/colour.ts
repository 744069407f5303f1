type Rgb = readonly [red: number, green: number, blue: number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]

const parse = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as never

const format = (colour: Rgb): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

const mix = (one: Rgb, other: Rgb, part: number): Rgb =>
  one.map((value, n) => Math.round(value + ((other[n] as number) - value) * part)) as never

/** Relative luminance of WCAG 2. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Contrast of two colours as `#rrggbb`, from 1 to 21. */
export const contrast = (one: string, other: string): number => contrastOf(parse(one), parse(other))

/** Minimum contrast of normal text in WCAG 2 AA. */
const READABLE = 4.5

/** Backgrounds on which pages show text in the accent colour (web/src/ui/tokens.css). */
export const SURFACES = {
  light: ['#fbfaf8', '#ffffff', '#f1efeb'],
  dark: ['#121514', '#1a1e1d', '#232927'],
} as const

export type AccentTokens = { accent: string; strong: string; on: string; soft: string }

const STEPS = 50

function tokensFor(chosen: Rgb, theme: 'light' | 'dark'): AccentTokens {
  const surfaces = SURFACES[theme].map(parse)
  const [paper, towards] = theme === 'light' ? [WHITE, BLACK] : [parse('#1a1e1d'), WHITE]
  for (let step = 0; step <= STEPS; step += 1) {
    const accent = mix(chosen, towards, step / STEPS)
    const soft = mix(paper, accent, theme === 'light' ? 0.12 : 0.18)
    const on = theme === 'light' ? WHITE : mix(accent, BLACK, 0.85)
    if ([...surfaces, soft, on].every((other) => contrastOf(accent, other) >= READABLE))
      return {
        accent: format(accent),
        strong: format(mix(accent, towards, theme === 'light' ? 0.22 : 0.32)),
        on: format(on),
        soft: format(soft),
      }
  }
  throw new RangeError('black and white are readable on every surface')
}

/** Derives the colours of both themes from an accent as `#rrggbb`. Corrects the accent until text in it is readable. */
export const accentTokens = (hex: string): Record<'light' | 'dark', AccentTokens> => ({
  light: tokensFor(parse(hex), 'light'),
  dark: tokensFor(parse(hex), 'dark'),
})
