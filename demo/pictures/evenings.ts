import type { Chance } from '../chance.ts'
import {
  blur,
  type Drawing,
  fir,
  glow,
  gradient,
  HEIGHT,
  hsl,
  many,
  rectangle,
  ridge,
  WIDTH,
} from './shapes.ts'

export const EVENINGS = {
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
} satisfies Record<string, (chance: Chance) => Drawing>
