import sharp from 'sharp'
import type { Chance } from '../chance.ts'
import { EVENINGS } from './evenings.ts'
import { LANDSCAPES } from './landscapes.ts'
import { BLURS, type Drawing, HEIGHT, WIDTH } from './shapes.ts'

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

export const drawPhotograph = (chance: Chance, scene: Scene) => draw(chance, scene, 768)

export const drawEmblem = (chance: Chance, scene: Scene) => draw(chance, scene, 270)

async function draw(chance: Chance, scene: Scene, width: number): Promise<Buffer> {
  const { defs, body } = DRAWINGS[scene](chance)
  const height = (width * HEIGHT) / WIDTH
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><defs>${BLURS}${defs}</defs>${body}</svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer()
}

/** Prevents an unhandled rejection when a drawing fails before the caller awaits it. */
export function ahead(drawing: Promise<Buffer>): Promise<Buffer> {
  drawing.catch(() => {})
  return drawing
}

const OF_A_SCENE = 4

export function openAlbum(chance: Chance): (scene: Scene) => Promise<Buffer> {
  const drawn = new Map<string, Promise<Buffer>>()
  const taken = new Map<Scene, number>()
  const photographOf = (scene: Scene, count: number) => {
    const name = `${scene} ${count % OF_A_SCENE}`
    const before = drawn.get(name)
    if (before !== undefined) return before
    const photograph = ahead(drawPhotograph(chance.fork(name), scene))
    drawn.set(name, photograph)
    return photograph
  }
  return (scene) => {
    const count = taken.get(scene) ?? 0
    taken.set(scene, count + 1)
    const photograph = photographOf(scene, count)
    void photographOf(scene, count + 1)
    return photograph
  }
}
