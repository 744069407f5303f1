import type { ImageRule } from './images.ts'

const bounds = { w: [1, 4_000], h: [1, 4_000], q: [1, 90], b: [0, 100] } as const

type Name = keyof typeof bounds

/** `w_100,h_100,q_80,b_10` as an image rule. What is not understood is left out, what is out of bounds is brought in. */
export function parseRule(text: string): ImageRule {
  const rule: ImageRule = {}
  for (const part of text.split(',', 8)) {
    const [, name, value] = /^([whqb])_(\d{1,9})$/.exec(part.trim()) ?? []
    if (name) rule[name as Name] = withinBounds(name as Name, Number(value))
  }
  return rule
}

/** The same rule in its one canonical spelling; empty when it asks for nothing. */
export function formatRule(rule: ImageRule): string {
  return (Object.keys(bounds) as Name[])
    .filter((name) => rule[name])
    .map((name) => `${name}_${withinBounds(name, rule[name] ?? 0)}`)
    .join(',')
}

function withinBounds(name: Name, value: number): number {
  return Math.min(bounds[name][1], Math.max(bounds[name][0], value))
}
