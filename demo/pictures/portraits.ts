import sharp from 'sharp'
import type { Chance } from '../chance.ts'
import { gradient, hsl } from './shapes.ts'

const SKIN = ['#f6d2b8', '#eebf9c', '#d99f76', '#b97a53', '#8a5636', '#fbe0cc']
const HAIR = ['#1d1a1b', '#2f2320', '#5a3a26', '#8c5a2e', '#c99a4b', '#6d6f76', '#7b2f2a']

export async function drawPortrait(chance: Chance): Promise<Buffer> {
  const hue = chance.between(0, 359)
  const [skin, hair] = [chance.one(SKIN), chance.one(HAIR)]
  const style = chance.between(0, 5)
  const shirt = hsl(hue + chance.between(120, 240), 45, chance.between(35, 62))
  const behind =
    style === 0 || style === 4
      ? `<path d="M128 170 q-18 -130 128 -130 q146 0 128 130 l${style === 4 ? 26 : 8} 210 h-${style === 4 ? 324 : 288} z" fill="${hair}"/>`
      : style === 5
        ? `<circle cx="256" cy="84" r="56" fill="${hair}"/>`
        : ''
  const fringe = [
    '<path d="M150 210 q4 -120 106 -122 q102 2 106 122 q-30 -64 -90 -70 q-80 -4 -122 70 z"/>',
    '<path d="M148 226 q-16 -150 108 -150 q124 0 108 150 q-12 -58 -40 -80 q-70 26 -136 0 q-28 22 -40 80 z"/>',
    '<path d="M146 232 q-22 -160 112 -160 q130 0 108 160 q-6 -70 -30 -96 q-90 -24 -160 10 q-22 24 -30 86 z"/>',
    '<path d="M152 190 q6 -104 104 -106 q100 2 104 106 q-50 -42 -104 -42 q-56 0 -104 42 z"/>',
    '<path d="M144 240 q-16 -160 112 -162 q128 2 112 162 q-14 -86 -60 -106 q-30 50 -164 106 z"/>',
    '<path d="M150 214 q0 -118 106 -122 q106 4 106 122 q-40 -70 -106 -72 q-66 2 -106 72 z"/>',
  ][style]
  const glasses = chance.happens(0.3)
    ? '<g fill="none" stroke="#2b2b2b" stroke-width="6"><circle cx="214" cy="248" r="30"/><circle cx="298" cy="248" r="30"/><path d="M244 248 h24"/></g>'
    : ''
  const beard = chance.happens(0.16)
    ? `<path d="M168 262 q4 122 88 124 q84 -2 88 -124 q-14 64 -88 62 q-74 2 -88 -62 z" fill="${hair}"/>`
    : ''
  const smile = chance.between(10, 28)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><defs>${gradient('back', [
    [0, hsl(hue, 62, 80)],
    [1, hsl(hue + 35, 55, 58)],
  ])}</defs><rect width="512" height="512" fill="url(#back)"/>${behind}<path d="M60 512 q10 -130 140 -146 h112 q130 16 140 146 z" fill="${shirt}"/><path d="M214 330 h84 v50 q-42 44 -84 0 z" fill="${skin}"/><path d="M214 344 q42 34 84 0 v18 q-42 36 -84 0 z" fill="#000" opacity="0.12"/><ellipse cx="152" cy="252" rx="16" ry="26" fill="${skin}"/><ellipse cx="360" cy="252" rx="16" ry="26" fill="${skin}"/><path d="M154 220 q0 -120 102 -120 q102 0 102 120 q0 132 -102 138 q-102 -6 -102 -138 z" fill="${skin}"/>${beard}<g fill="#2a2222"><ellipse cx="214" cy="248" rx="9" ry="11"/><ellipse cx="298" cy="248" rx="9" ry="11"/></g><g fill="#fff"><circle cx="217" cy="244" r="3"/><circle cx="301" cy="244" r="3"/></g><g fill="none" stroke="${hair}" stroke-width="7" stroke-linecap="round"><path d="M196 220 q18 -12 36 -2"/><path d="M280 218 q18 -10 36 2"/></g><path d="M256 252 q-10 30 2 36" fill="none" stroke="#000" stroke-opacity="0.2" stroke-width="5" stroke-linecap="round"/><path d="M222 312 q34 ${smile} 68 0" fill="none" stroke="#a5484a" stroke-width="7" stroke-linecap="round"/><g fill="#e8755f" opacity="0.22"><circle cx="186" cy="290" r="20"/><circle cx="326" cy="290" r="20"/></g><g fill="${hair}">${fringe}</g>${glasses}</svg>`
  return sharp(Buffer.from(svg)).resize(256, 256).png({ palette: true }).toBuffer()
}
