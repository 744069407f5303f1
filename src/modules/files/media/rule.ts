import type { ImageRule } from './images.ts'

const bounds = { w: [1, 4_000], h: [1, 4_000], q: [1, 90], b: [0, 100] } as const

type Name = keyof typeof bounds

/** Parses `w_100,h_100,q_80,b_10`. Drops unknown parts and clamps values to their bounds. */
export function parseRule(text: string): ImageRule {
  const rule: ImageRule = {}
  for (const part of text.split(',', 8)) {
    const [, name, value] = /^([whqb])_(\d{1,9})$/.exec(part.trim()) ?? []
    if (name) rule[name as Name] = withinBounds(name as Name, Number(value))
  }
  return rule
}

export function formatRule(rule: ImageRule): string {
  return (Object.keys(bounds) as Name[])
    .filter((name) => rule[name])
    .map((name) => `${name}_${withinBounds(name, rule[name] ?? 0)}`)
    .join(',')
}

function withinBounds(name: Name, value: number): number {
  return Math.min(bounds[name][1], Math.max(bounds[name][0], value))
}

type Steps = { sides: number[]; qualities: number[]; blurs: number[] }

/**
 * Sizes, qualities and blurs of the available variants. Large pictures have fewer variants, because the cost grows
 * with the number of pixels.
 */
const STEPS: Steps = {
  sides: [16, 50, 100, 160, 240, 320, 480, 640, 720, 960, 1_280, 1_920, 2_560],
  qualities: [50, 75, 90],
  blurs: [20, 50, 96],
}
const LARGE_STEPS: Steps = { sides: [100, 240, 480, 720, 1_280, 2_560], qualities: [], blurs: [96] }
const LARGE = 4_000_000

type Size = { width: number | null; height: number | null }

const upTo = (steps: number[], value: number) => steps.find((step) => step >= value) ?? steps.at(-1)

/**
 * Rounds the size, quality and blur up to the next available variant (files-14). Ignores the quality for large and
 * blurred pictures. An empty rule stands for the original picture.
 */
export function roundRule(rule: ImageRule, { width, height }: Size): ImageRule {
  const known = width !== null && height !== null
  const [wide, high] = [width ?? bounds.w[1], height ?? bounds.h[1]]
  const steps = wide * high > LARGE ? LARGE_STEPS : STEPS
  const scale = Math.min(1, (rule.w || wide) / wide, (rule.h || high) / high)
  const asked = known
    ? Math.round(Math.max(wide, high) * scale)
    : Math.min(rule.w || bounds.w[1], rule.h || bounds.h[1])
  const side = steps.sides.find((step) => step >= asked)
  const blur = rule.b ? upTo(steps.blurs, rule.b) : undefined
  const quality = rule.q && !blur ? upTo(steps.qualities, rule.q) : undefined
  return {
    ...(side !== undefined && side < Math.max(wide, high) ? { w: side, h: side } : {}),
    ...(quality ? { q: quality } : {}),
    ...(blur ? { b: blur } : {}),
  }
}
