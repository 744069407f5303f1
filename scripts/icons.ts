/** Draws the icons of the site from `web/src/ui/mark.svg`: `npm run dev -- icons`. The drawn files are committed. */
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import sharp from 'sharp'
import { icoOf } from '#lib/ico.ts'

const WEB = resolve(import.meta.dirname, '../web/src/ui')
const PAPER = '#fbfaf8'
/** Width of the mark in its own view box of 32 units. */
const MARK_WIDTH = 26

const mark = await readFile(join(WEB, 'mark.svg'), 'utf8')
const shapes = mark.replace(/^<svg[^>]*>|<\/svg>\s*$/g, '')

/** Draws the mark in the middle of a square, `part` of it wide. */
function draw(size: number, part: number, background?: string): Promise<Buffer> {
  const scale = (size * part) / MARK_WIDTH
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
    ${background ? `<rect width="100%" height="100%" fill="${background}"/>` : ''}
    <g transform="translate(${size / 2} ${size / 2}) scale(${scale}) translate(-16 -16)">${shapes}</g></svg>`
  return sharp(Buffer.from(svg)).png({ palette: true, colours: 64, effort: 10 }).toBuffer()
}

const files: [string, Buffer][] = [
  ['icon-192.png', await draw(192, 0.94)],
  ['icon-512.png', await draw(512, 0.94)],
  // Launchers cut a maskable icon to a circle of 80 % of its width.
  ['maskable-512.png', await draw(512, 0.66, PAPER)],
  ['apple-touch-icon.png', await draw(180, 0.74, PAPER)],
  [
    'favicon.ico',
    icoOf(await Promise.all([16, 32, 48].map(async (size) => ({ size, png: await draw(size, 1) })))),
  ],
]
for (const [name, bytes] of files) {
  await writeFile(join(WEB, 'icons', name), bytes)
  process.stdout.write(`${name}: ${bytes.length} bytes\n`)
}
