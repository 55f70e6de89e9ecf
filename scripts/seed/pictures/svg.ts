/** The frame and the drawing tools of the demonstration pictures: flat shapes, two tones, one soft shadow. */

/** Width and height in units of the drawing. */
export interface Size {
  width: number
  height: number
}

/** Colours of a scene: three tones of its backdrop, and the two colours of the motif. */
export interface Palette {
  deep: string
  mid: string
  accent: string
  thing: string
  trim: string
}

export const palettes = {
  pitch: { deep: '#06321f', mid: '#0f7a4b', accent: '#d7f75b', thing: '#ffd23f', trim: '#0b4a2d' },
  night: { deep: '#0b1437', mid: '#2b4acb', accent: '#8fd3ff', thing: '#ff5c7a', trim: '#ffffff' },
  dusk: { deep: '#3b0d3f', mid: '#c2346b', accent: '#ffc857', thing: '#ffc857', trim: '#7a1545' },
  ember: { deep: '#3d0f0a', mid: '#d1451d', accent: '#ffd166', thing: '#ffe7c2', trim: '#a82a10' },
  sea: { deep: '#052f3b', mid: '#0e8fa3', accent: '#b8fff0', thing: '#ff8552', trim: '#fff3e0' },
  royal: { deep: '#1f0c47', mid: '#6d3fe0', accent: '#e6c9ff', thing: '#ffd166', trim: '#4a1fb8' },
  sand: { deep: '#4a2c07', mid: '#d98b13', accent: '#fff1c2', thing: '#fff0b8', trim: '#8a5200' },
  steel: { deep: '#151b23', mid: '#4b5a6e', accent: '#dfe8f2', thing: '#8fd3ff', trim: '#1d3a5c' },
} satisfies Record<string, Palette>

export const INK = '#10181f'
export const PAPER = '#fbfaf4'

const round = (value: number) => Math.round(value * 100) / 100

/** A document with the size of `size`. Its content can use `shadow` and `clip`. */
export const svg = ({ width, height }: Size, content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<defs><filter id="shadow" x="-30%" y="-30%" width="160%" height="170%"><feDropShadow dx="0" dy="7" stdDeviation="6" flood-color="#000" flood-opacity=".38"/></filter></defs>
${content}
</svg>
`

/** Draws a motif, which fills 200 by 200, with its middle at (x, y). */
export const place = (motif: string, x: number, y: number, scale = 1, turn = 0) =>
  `<g filter="url(#shadow)"><g transform="translate(${round(x)} ${round(y)}) rotate(${turn}) scale(${scale}) translate(-100 -100)">${motif}</g></g>`

export const path = (d: string, fill: string, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`
export const line = (d: string, stroke: string, width: number, more = '') =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`
export const circle = (x: number, y: number, radius: number, fill: string, more = '') =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${fill}" ${more}/>`
export const box = (x: number, y: number, width: number, height: number, fill: string, more = '') =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}" ${more}/>`
export const words = (text: string, x: number, y: number, size: number, fill: string) =>
  `<text x="${x}" y="${y}" text-anchor="middle" font-family="system-ui, sans-serif" font-weight="800" font-size="${size}" fill="${fill}">${text}</text>`

/** `count` points evenly around a middle, the first one above it. */
export function around(x: number, y: number, radius: number, count: number, from = -90): [number, number][] {
  return Array.from({ length: count }, (_, nth) => {
    const angle = ((from + (360 / count) * nth) * Math.PI) / 180
    return [round(x + radius * Math.cos(angle)), round(y + radius * Math.sin(angle))]
  })
}

export const polygon = (points: [number, number][], fill: string, more = '') =>
  `<polygon points="${points.map(point => point.join(',')).join(' ')}" fill="${fill}" ${more}/>`

export function star(x: number, y: number, radius: number, fill: string, more = ''): string {
  const [outer, inner] = [around(x, y, radius, 5), around(x, y, radius * 0.44, 5, -54)]
  return polygon(
    outer.flatMap((point, nth) => [point, inner[nth] ?? point]),
    fill,
    more,
  )
}

/** Numbers from 0 to 1 that look random and are always the same: pictures of one seed have the same bytes everywhere. */
export function scatter(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
