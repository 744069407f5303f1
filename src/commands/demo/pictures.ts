import sharp from 'sharp'
import type { Chance } from './chance.ts'

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

const WIDTH = 1200
const HEIGHT = 800

const hsl = (hue: number, saturation: number, light: number) =>
  `hsl(${Math.round(hue + 360) % 360},${Math.round(saturation)}%,${Math.round(light)}%)`

const gradient = (id: string, stops: [number, string][], direction = 'x1="0" y1="0" x2="0" y2="1"') =>
  `<linearGradient id="${id}" ${direction}>${stops.map(([at, colour]) => `<stop offset="${at}" stop-color="${colour}"/>`).join('')}</linearGradient>`

const glow = (id: string, colour: string) =>
  `<radialGradient id="${id}"><stop offset="0" stop-color="${colour}"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>`

const rectangle = (y: number, height: number, fill: string) =>
  `<rect x="0" y="${y}" width="${WIDTH}" height="${height}" fill="${fill}"/>`

/** A ridge from one side to the other: several waves of chance on top of each other. */
function ridge(chance: Chance, base: number, height: number, fill: string, roughness = 1): string {
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

const many = (count: number, draw: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => draw(n)).join('')

/** Blurs several things at once, which costs as much as one. */
const blur = (filter: 'soft' | 'softer', body: string) => `<g filter="url(#${filter})">${body}</g>`

const fir = (x: number, y: number, size: number, fill: string) =>
  many(4, (n) => {
    const [top, wide] = [y - size + n * size * 0.2, size * (0.12 + n * 0.075)]
    return `<polygon points="${x},${top} ${x - wide},${top + size * 0.38} ${x + wide},${top + size * 0.38}" fill="${fill}"/>`
  })

const BLURS =
  '<filter id="soft"><feGaussianBlur stdDeviation="6"/></filter><filter id="softer"><feGaussianBlur stdDeviation="22"/></filter>'

type Drawing = { defs: string; body: string }

const DRAWINGS: Record<Scene, (chance: Chance) => Drawing> = {
  sea(chance) {
    const hue = chance.between(8, 40)
    const x = chance.between(250, 950)
    const horizon = 470
    return {
      defs:
        gradient('sky', [
          [0, hsl(hue + 215, 45, 30)],
          [0.55, hsl(hue + 330, 60, 58)],
          [1, hsl(hue + 15, 90, 72)],
        ]) +
        gradient('water', [
          [0, hsl(hue + 5, 65, 60)],
          [0.35, hsl(hue + 300, 30, 42)],
          [1, hsl(hue + 210, 48, 18)],
        ]) +
        glow('sun', hsl(hue + 20, 100, 82)),
      body:
        rectangle(0, horizon, 'url(#sky)') +
        blur(
          'softer',
          many(7, () => {
            const [cx, cy] = [chance.between(0, WIDTH), chance.between(60, 330)]
            return `<ellipse cx="${cx}" cy="${cy}" rx="${chance.between(120, 320)}" ry="${chance.between(8, 26)}" fill="${hsl(hue + 350, 70, 75)}" opacity="0.35"/>`
          }),
        ) +
        `<circle cx="${x}" cy="${horizon - 40}" r="260" fill="url(#sun)" opacity="0.85"/><circle cx="${x}" cy="${horizon - 40}" r="46" fill="${hsl(hue + 25, 100, 90)}"/>` +
        rectangle(horizon, HEIGHT - horizon, 'url(#water)') +
        many(90, (n) => {
          const y = horizon + 4 + (n / 90) ** 1.6 * (HEIGHT - horizon)
          const spread = 14 + (y - horizon) * 0.5
          const at = x + (chance.number() - 0.5) * spread * 2
          return `<ellipse cx="${at.toFixed(0)}" cy="${y.toFixed(0)}" rx="${(10 + (y - horizon) * 0.12).toFixed(0)}" ry="${(1 + (y - horizon) * 0.008).toFixed(1)}" fill="${hsl(hue + 25, 100, 85)}" opacity="${(0.75 - n / 160).toFixed(2)}"/>`
        }) +
        ridge(chance.fork('shore'), 790, 22, hsl(hue + 200, 35, 9)),
    }
  },
  mountains(chance) {
    const hue = chance.one([205, 215, 250, 20])
    return {
      defs: gradient('sky', [
        [0, hsl(hue, 55, 62)],
        [1, hsl(hue + 160, 55, 88)],
      ]),
      body:
        rectangle(0, HEIGHT, 'url(#sky)') +
        `<circle cx="${chance.between(200, 1000)}" cy="${chance.between(110, 210)}" r="52" fill="#fff8e6" opacity="0.9"/>` +
        many(
          5,
          (n) =>
            ridge(
              chance.fork(`ridge ${n}`),
              330 + n * 90,
              150 - n * 12,
              hsl(hue + n * 4, 32 + n * 4, 70 - n * 13),
              1.15,
            ) +
            `<rect x="0" y="${420 + n * 90}" width="${WIDTH}" height="70" fill="#fff" opacity="${(0.22 - n * 0.04).toFixed(2)}" filter="url(#softer)"/>`,
        ),
    }
  },
  city(chance) {
    const hue = chance.between(215, 275)
    const houses = (
      base: number,
      width: [number, number],
      height: [number, number],
      light: number,
      lit: number,
    ) => {
      let text = ''
      for (let x = -20; x < WIDTH; ) {
        const [wide, high] = [chance.between(...width), chance.between(...height)]
        text += `<rect x="${x}" y="${base - high}" width="${wide}" height="${high + 300}" fill="${hsl(hue, 32, light)}"/>`
        for (let wx = x + 8; wx < x + wide - 10; wx += 15)
          for (let wy = base - high + 12; wy < base + 120; wy += 21)
            if (chance.happens(lit))
              text += `<rect x="${wx}" y="${wy}" width="7" height="11" fill="${hsl(chance.between(32, 52), 95, chance.between(58, 82))}" opacity="${(0.5 + chance.number() / 2).toFixed(2)}"/>`
        x += wide + chance.between(2, 14)
      }
      return text
    }
    return {
      defs:
        gradient('sky', [
          [0, hsl(hue, 60, 9)],
          [0.7, hsl(hue + 40, 45, 30)],
          [1, hsl(hue + 110, 60, 50)],
        ]) + glow('moon', '#fff4d0'),
      body:
        rectangle(0, HEIGHT, 'url(#sky)') +
        many(
          60,
          () =>
            `<circle cx="${chance.between(0, WIDTH)}" cy="${chance.between(0, 300)}" r="1.4" fill="#fff" opacity="0.7"/>`,
        ) +
        `<circle cx="${chance.between(150, 1050)}" cy="130" r="150" fill="url(#moon)" opacity="0.5"/>` +
        houses(560, [50, 110], [120, 330], 19, 0.16) +
        houses(640, [70, 150], [60, 330], 11, 0.26) +
        rectangle(735, 65, hsl(hue, 40, 6)) +
        many(
          46,
          () =>
            `<ellipse cx="${chance.between(0, WIDTH)}" cy="${chance.between(745, 798)}" rx="${chance.between(8, 34)}" ry="1.6" fill="${hsl(chance.between(28, 55), 95, 66)}" opacity="0.7"/>`,
        ),
    }
  },
  forest(chance) {
    const hue = chance.between(95, 165)
    return {
      defs: gradient('sky', [
        [0, hsl(hue + 60, 30, 80)],
        [1, hsl(hue - 30, 45, 90)],
      ]),
      body:
        rectangle(0, HEIGHT, 'url(#sky)') +
        `<circle cx="${chance.between(300, 900)}" cy="220" r="240" fill="#fffbe0" opacity="0.75" filter="url(#softer)"/>` +
        many(
          4,
          (n) =>
            many(16 - n * 2, () =>
              fir(
                chance.between(-40, WIDTH + 40),
                560 + n * 85,
                chance.between(230 + n * 50, 360 + n * 80),
                hsl(hue + n * 3, 28 + n * 6, 62 - n * 15),
              ),
            ) +
            ridge(chance.fork(`floor ${n}`), 600 + n * 60, 12, hsl(hue + n * 3, 28 + n * 6, 58 - n * 14)) +
            `<rect x="0" y="${520 + n * 85}" width="${WIDTH}" height="90" fill="#fff" opacity="${(0.34 - n * 0.09).toFixed(2)}" filter="url(#softer)"/>`,
        ) +
        ridge(chance.fork('floor'), 775, 25, hsl(hue, 45, 10)),
    }
  },
  cup(chance) {
    const hue = chance.between(12, 45)
    const cup = chance.one(['#f6f1ea', '#e8d9c8', '#cfd8d2', '#d7b8a3', '#39424e'])
    return {
      defs:
        gradient('wall', [
          [0, hsl(hue, 30, 74)],
          [1, hsl(hue, 38, 52)],
        ]) +
        gradient('table', [
          [0, hsl(hue - 6, 45, 40)],
          [1, hsl(hue - 8, 50, 22)],
        ]) +
        gradient(
          'side',
          [
            [0, cup],
            [0.55, cup],
            [1, hsl(hue, 25, 42)],
          ],
          'x1="0" y1="0" x2="1" y2="0"',
        ),
      body:
        rectangle(0, 520, 'url(#wall)') +
        blur(
          'soft',
          many(
            26,
            () =>
              `<circle cx="${chance.between(0, WIDTH)}" cy="${chance.between(0, 460)}" r="${chance.between(18, 70)}" fill="${hsl(hue + chance.between(-10, 30), 80, 82)}" opacity="0.17"/>`,
          ),
        ) +
        rectangle(505, 295, 'url(#table)') +
        many(
          24,
          () =>
            `<rect x="0" y="${chance.between(510, 800)}" width="${WIDTH}" height="2" fill="#000" opacity="0.07"/>`,
        ) +
        '<ellipse cx="620" cy="702" rx="330" ry="58" fill="#000" opacity="0.28" filter="url(#soft)"/>' +
        `<ellipse cx="600" cy="690" rx="290" ry="52" fill="${cup}"/><ellipse cx="600" cy="684" rx="200" ry="32" fill="#000" opacity="0.12"/>` +
        `<path d="M770 480 q130 -10 120 80 q-10 80 -150 70" fill="none" stroke="${cup}" stroke-width="30"/>` +
        '<path d="M410 430 h380 q0 240 -130 250 h-120 q-130 -10 -130 -250 z" fill="url(#side)"/>' +
        `<ellipse cx="600" cy="430" rx="190" ry="44" fill="${cup}"/><ellipse cx="600" cy="434" rx="168" ry="34" fill="${hsl(hue - 4, 60, 20)}"/><path d="M520 436 q40 -26 80 0 q40 26 84 -4" fill="none" stroke="${hsl(hue + 10, 60, 70)}" stroke-width="10" stroke-linecap="round" opacity="0.8"/>` +
        blur(
          'soft',
          many(
            3,
            (n) =>
              `<path d="M${530 + n * 70} 380 q-36 -60 0 -110 q36 -60 0 -130" fill="none" stroke="#fff" stroke-width="20" opacity="0.28"/>`,
          ),
        ),
    }
  },
  stars(chance) {
    const hue = chance.between(200, 280)
    return {
      defs: gradient('sky', [
        [0, hsl(hue, 65, 8)],
        [0.7, hsl(hue + 15, 55, 20)],
        [1, hsl(hue + 70, 45, 36)],
      ]),
      body:
        rectangle(0, HEIGHT, 'url(#sky)') +
        blur(
          'softer',
          many(
            34,
            (n) =>
              `<ellipse cx="${n * 38 + chance.between(-40, 40)}" cy="${560 - n * 15 + chance.between(-50, 50)}" rx="${chance.between(60, 150)}" ry="${chance.between(20, 60)}" transform="rotate(-24 ${n * 38} ${560 - n * 15})" fill="${hsl(hue + chance.between(-30, 60), 60, 72)}" opacity="0.11"/>`,
          ),
        ) +
        many(
          620,
          () =>
            `<circle cx="${chance.between(0, WIDTH)}" cy="${chance.between(0, 720)}" r="${(0.4 + chance.number() ** 4 * 2.6).toFixed(2)}" fill="#fff" opacity="${(0.3 + chance.number() * 0.7).toFixed(2)}"/>`,
        ) +
        ridge(chance.fork('far'), 690, 70, hsl(hue, 45, 9), 1.2) +
        many(12, () => fir(chance.between(0, WIDTH), 800, chance.between(70, 190), hsl(hue, 50, 4))),
    }
  },
  meadow(chance) {
    const hue = chance.between(190, 215)
    const petals = chance.some([5, 350, 48, 285, 320, 20], 3)
    return {
      defs:
        gradient('sky', [
          [0, hsl(hue, 72, 58)],
          [1, hsl(hue, 70, 88)],
        ]) +
        gradient('grass', [
          [0, hsl(85, 45, 55)],
          [1, hsl(105, 55, 22)],
        ]),
      body:
        rectangle(0, HEIGHT, 'url(#sky)') +
        blur(
          'softer',
          many(
            16,
            () =>
              `<ellipse cx="${chance.between(0, WIDTH)}" cy="${chance.between(60, 260)}" rx="${chance.between(70, 170)}" ry="${chance.between(22, 50)}" fill="#fff" opacity="0.5"/>`,
          ),
        ) +
        ridge(chance.fork('hill'), 420, 55, hsl(120, 25, 48)) +
        ridge(chance.fork('grass'), 500, 35, 'url(#grass)') +
        many(260, (n) => {
          const y = 520 + (n / 260) ** 1.4 * 270
          const size = 3 + (y - 500) * 0.045
          return `<g transform="translate(${chance.between(0, WIDTH)} ${y.toFixed(0)})"><path d="M0 0 v${(size * 3).toFixed(0)}" stroke="${hsl(110, 50, 24)}" stroke-width="${(size / 5).toFixed(1)}"/>${many(5, (petal) => `<ellipse cx="0" cy="${(-size * 0.7).toFixed(1)}" rx="${(size * 0.42).toFixed(1)}" ry="${(size * 0.75).toFixed(1)}" transform="rotate(${petal * 72})" fill="${hsl(petals[n % 3]!, 78, 66)}"/>`)}<circle r="${(size * 0.4).toFixed(1)}" fill="#ffd75e"/></g>`
        }),
    }
  },
  dunes(chance) {
    const hue = chance.between(22, 38)
    return {
      defs:
        gradient('sky', [
          [0, hsl(hue + 180, 50, 60)],
          [1, hsl(hue + 5, 75, 84)],
        ]) +
        [0, 1, 2, 3]
          .map((n) =>
            gradient(
              `dune${n}`,
              [
                [0, hsl(hue, 68 - n * 3, 70 - n * 10)],
                [1, hsl(hue - 10, 55, 44 - n * 9)],
              ],
              'x1="0" y1="0" x2="0.6" y2="1"',
            ),
          )
          .join(''),
      body:
        rectangle(0, HEIGHT, 'url(#sky)') +
        `<circle cx="${chance.between(200, 1000)}" cy="160" r="60" fill="#fffbe8"/>` +
        many(4, (n) => ridge(chance.fork(`dune ${n}`), 400 + n * 110, 90 - n * 8, `url(#dune${n})`, 0.75)),
    }
  },
  lights(chance) {
    const hue = chance.between(0, 360)
    return {
      defs: gradient('dark', [
        [0, hsl(hue, 45, 9)],
        [1, hsl(hue + 50, 55, 20)],
      ]),
      body:
        rectangle(0, HEIGHT, 'url(#dark)') +
        many(70, () => {
          const colour = hsl(hue + chance.one([0, 30, 60, 180, 210]), 85, chance.between(55, 75))
          const at = `cx="${chance.between(0, WIDTH)}" cy="${chance.between(60, HEIGHT)}" r="${chance.between(16, 78)}"`
          return `<circle ${at} fill="${colour}" opacity="${(0.14 + chance.number() * 0.3).toFixed(2)}"/><circle ${at} fill="none" stroke="${colour}" stroke-width="2" opacity="0.4"/>`
        }),
    }
  },
  lake(chance) {
    const hue = chance.between(180, 225)
    const hills = many(3, (n) =>
      ridge(
        chance.fork(`hill ${n}`),
        330 + n * 40,
        120 - n * 26,
        hsl(hue + n * 8 - 20 * n, 30, 62 - n * 17),
        1.1,
      ),
    )
    return {
      defs:
        gradient('sky', [
          [0, hsl(hue, 60, 66)],
          [1, hsl(hue - 150, 70, 86)],
        ]) +
        gradient('water', [
          [0, hsl(hue, 45, 62)],
          [1, hsl(hue + 10, 55, 26)],
        ]) +
        `<clipPath id="upper"><rect x="0" y="0" width="${WIDTH}" height="480"/></clipPath>`,
      body:
        rectangle(0, HEIGHT, 'url(#sky)') +
        `<g clip-path="url(#upper)">${hills}</g>` +
        rectangle(480, 320, 'url(#water)') +
        `<g transform="matrix(1 0 0 -0.7 0 816)" opacity="0.5"><g clip-path="url(#upper)">${hills}</g></g>` +
        many(
          44,
          () =>
            `<rect x="${chance.between(-100, WIDTH)}" y="${chance.between(490, 795)}" width="${chance.between(80, 420)}" height="1.6" fill="#fff" opacity="0.16"/>`,
        ) +
        `<path d="M${chance.between(300, 800)} 640 q70 34 150 0 l-16 26 h-112 z" fill="#3b2a22"/>`,
    }
  },
}

/** A photograph as a telephone would have taken it, in JPEG. */
export async function drawPhotograph(chance: Chance, scene: Scene): Promise<Buffer> {
  const { defs, body } = DRAWINGS[scene](chance)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="768" height="512" viewBox="0 0 ${WIDTH} ${HEIGHT}"><defs>${BLURS}${defs}</defs>${body}</svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer()
}

const SKIN = ['#f6d2b8', '#eebf9c', '#d99f76', '#b97a53', '#8a5636', '#fbe0cc']
const HAIR = ['#1d1a1b', '#2f2320', '#5a3a26', '#8c5a2e', '#c99a4b', '#6d6f76', '#7b2f2a']

/** A drawn portrait of somebody who does not exist, in PNG. */
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
