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

export const LANDSCAPES = {
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
} satisfies Record<string, (chance: Chance) => Drawing>
