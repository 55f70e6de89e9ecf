/** Backdrops of motifs: a ground by day or night, rays, a stand, confetti. */
import { around, box, circle, line, type Palette, path, polygon, type Size, scatter } from './svg.ts'

export type Backdrop = (size: Size, palette: Palette) => string

const sky = ({ width, height }: Size, { deep, mid }: Pick<Palette, 'deep' | 'mid'>) =>
  `<defs><linearGradient id="sky" x1="0" y1="0" x2=".35" y2="1"><stop stop-color="${deep}"/><stop offset="1" stop-color="${mid}"/></linearGradient></defs>${box(0, 0, width, height, 'url(#sky)')}`

/** The ground seen from above: mown stripes, halfway line and centre circle. */
const pitch: Backdrop = ({ width, height }, { deep, mid }) => {
  const stripe = width / 8
  const stripes = [0, 2, 4, 6].map(nth => box(nth * stripe, 0, stripe, height, '#000', 'opacity=".09"'))
  const [x, y] = [width / 2, height / 2]
  const lines = `M${x} 0V${height}`
  return `${sky({ width, height }, { deep, mid })}${stripes.join('')}
${line(lines, '#fff', 3, 'opacity=".35"')}${circle(x, y, height * 0.36, 'none', 'stroke="#fff" stroke-width="3" opacity=".35"')}`
}

/** Beams from two masts over a dark stand. */
const floodlit: Backdrop = (size, palette) => {
  const { width, height } = size
  const beams = [0.06, 0.94].map(share => {
    const x = width * share
    const spread = share < 0.5 ? 1 : -1
    return path(
      `M${x} ${height * 0.1}L${x + spread * width * 0.3} ${height}H${x + spread * width * 0.85}Z`,
      palette.accent,
      'opacity=".14"',
    )
  })
  const lamps = [0.06, 0.94].flatMap(share =>
    [0, 1, 2].map(nth =>
      circle(width * share + (nth - 1) * width * 0.028, height * 0.09, width * 0.011, '#fffbe6'),
    ),
  )
  return `${sky(size, palette)}${beams.join('')}${crowd(size, palette)}${lamps.join('')}`
}

/** Heads of a stand, row by row. */
function crowd({ width, height }: Size, { deep, accent }: Palette): string {
  const next = scatter(width + height)
  const rows = [0, 1, 2].map(row => {
    const [y, radius] = [height * (0.86 + row * 0.06), height * 0.028]
    const heads = Array.from({ length: Math.ceil(width / (radius * 2.6)) + 1 }, (_, nth) => {
      const fill = next() > 0.82 ? accent : deep
      return circle(nth * radius * 2.6 + (row % 2) * radius * 1.3, y + next() * radius, radius, fill)
    })
    return `<g opacity="${0.55 + row * 0.2}">${heads.join('')}</g>`
  })
  return rows.join('')
}

/** Rays from behind the motif. */
const rays: Backdrop = (size, palette) => {
  const { width, height } = size
  const [x, y] = [width / 2, height * 0.52]
  const rim = around(x, y, width + height, 28, -96)
  const wedges = rim
    .filter((_, nth) => nth % 2 === 0)
    .map((point, nth) => polygon([[x, y], point, rim[nth * 2 + 1] ?? point], palette.accent))
  return `${sky(size, palette)}<g opacity=".13">${wedges.join('')}</g>${circle(x, y, height * 0.34, '#fff', 'opacity=".1"')}`
}

/** Paper in the air. */
const confetti: Backdrop = (size, palette) => {
  const { width, height } = size
  const next = scatter(width * 3 + height)
  const tones = [palette.accent, '#ffffff', palette.mid]
  const pieces = Array.from({ length: 46 }, (_, nth) => {
    const [x, y, turn] = [next() * width, next() * height, Math.round(next() * 180)]
    const side = height * 0.022
    return `<rect x="${-side}" y="${-side / 2}" width="${side * 2}" height="${side}" rx="1" fill="${tones[nth % 3]}" opacity=".75" transform="translate(${Math.round(x)} ${Math.round(y)}) rotate(${turn})"/>`
  })
  return `${sky(size, palette)}${circle(width / 2, height / 2, height * 0.4, palette.accent, 'opacity=".16"')}${pieces.join('')}`
}

/** Hoops, as on a scarf. */
const hoops: Backdrop = (size, palette) => {
  const { width, height } = size
  const bands = [0.1, 0.34, 0.58, 0.82].map(share =>
    path(
      `M${-width * 0.1} ${height * (share + 0.2)}L${width * 1.1} ${height * (share - 0.18)}v${height * 0.1}L${-width * 0.1} ${height * (share + 0.3)}Z`,
      '#fff',
      'opacity=".08"',
    ),
  )
  return `${sky(size, palette)}${bands.join('')}`
}

export const backdrops = { pitch, floodlit, rays, confetti, hoops } satisfies Record<string, Backdrop>
