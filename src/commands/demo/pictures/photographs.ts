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
export const drawPhotograph = (chance: Chance, scene: Scene) => draw(chance, scene, 768)

/** A photograph as small as the sign of a topic. */
export const drawEmblem = (chance: Chance, scene: Scene) => draw(chance, scene, 270)

async function draw(chance: Chance, scene: Scene, width: number): Promise<Buffer> {
  const { defs, body } = DRAWINGS[scene](chance)
  const height = (width * HEIGHT) / WIDTH
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><defs>${BLURS}${defs}</defs>${body}</svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer()
}

/** A drawing that is begun before it is asked for: whoever takes it hears of a failure, and until then nobody does. */
export function ahead(drawing: Promise<Buffer>): Promise<Buffer> {
  drawing.catch(() => {})
  return drawing
}

/** As many photographs there are of a scene: drawing is what costs most, and several people were at the same place. */
const OF_A_SCENE = 4

/** Photographs of each kind, the same in the same order. The next of a kind is drawn while the last is being used. */
export function openAlbum(chance: Chance): (scene: Scene) => Promise<Buffer> {
  const drawn = new Map<string, Promise<Buffer>>()
  const taken = new Map<Scene, number>()
  const photographOf = (scene: Scene, count: number) => {
    const name = `${scene} ${count % OF_A_SCENE}`
    const before = drawn.get(name)
    if (before) return before
    const photograph = ahead(drawPhotograph(chance.fork(name), scene))
    drawn.set(name, photograph)
    return photograph
  }
  return (scene) => {
    const count = taken.get(scene) ?? 0
    taken.set(scene, count + 1)
    const photograph = photographOf(scene, count)
    photographOf(scene, count + 1)
    return photograph
  }
}
