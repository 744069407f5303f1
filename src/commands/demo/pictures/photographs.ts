import sharp from 'sharp'
import type { Chance } from '../chance.ts'
import { EVENINGS } from './evenings.ts'
import { LANDSCAPES } from './landscapes.ts'
import { BLURS, type Drawing, HEIGHT, WIDTH } from './shapes.ts'

/** What a photograph shows. */
export const SCENES = [
  'sea',
  'mountains',
  'city',
  'forest',
  'cup',
  'stars',
  'meadow',
  'dunes',
  'lights',
  'lake',
] as const
export type Scene = (typeof SCENES)[number]

const DRAWINGS: Record<Scene, (chance: Chance) => Drawing> = { ...LANDSCAPES, ...EVENINGS }

/** A photograph as a telephone would have taken it, in JPEG. */
export async function drawPhotograph(chance: Chance, scene: Scene): Promise<Buffer> {
  const { defs, body } = DRAWINGS[scene](chance)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="768" height="512" viewBox="0 0 ${WIDTH} ${HEIGHT}"><defs>${BLURS}${defs}</defs>${body}</svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer()
}

/** Photographs of each kind, the same in the same order. The next of a kind is drawn while the last is being used. */
export function openAlbum(chance: Chance): (scene: Scene) => Promise<Buffer> {
  const next = new Map<Scene, { count: number; drawn: Promise<Buffer> }>()
  const draw = (scene: Scene, count: number) => {
    const drawn = drawPhotograph(chance.fork(`${scene} ${count}`), scene)
    // Whoever takes it hears of a failure; until then it is nobody's.
    drawn.catch(() => {})
    next.set(scene, { count, drawn })
    return drawn
  }
  return async (scene) => {
    const waiting = next.get(scene)
    const drawn = waiting?.drawn ?? draw(scene, 0)
    draw(scene, (waiting?.count ?? 0) + 1)
    return drawn
  }
}
