import { createHash } from 'node:crypto'
import { encodePng } from './png.ts'

/** Pixels: twice the size at which the pages show it. */
const SIDE = 128
/** The shapes are drawn on a field of this width and height. */
const FIELD = 96

type Colour = readonly [red: number, green: number, blue: number]
/** The distance to the edge in units of the field: negative inside. */
type Shape = (x: number, y: number) => number
type Layer = readonly [colour: Colour, shape: Shape]

const kits = [
  ['c8102e', 'ffffff'],
  ['0b3d91', 'ffd100'],
  ['00704a', 'f4f1de'],
  ['1b1b3a', 'ff6b35'],
  ['6a0dad', 'f7d6ff'],
  ['004d61', '7fe7dc'],
  ['111111', 'f5f5f5'],
  ['7b1e3b', '9fd3f5'],
  ['e2711d', '1d1d1d'],
  ['2a9d8f', 'fff3c4'],
  ['0077b6', 'ffffff'],
  ['8d0801', 'f4d58d'],
] as const
const backgrounds = ['dbe7f6', 'e5dcf4', 'f6dfe0', 'f7ead2', 'dff0df', 'd6eeec', 'e8e4dc', 'f3dcec'] as const
const skins = ['f6d3b9', 'eab98f', 'd09a6b', 'a9724a', '85563a', '684331'] as const
const hairs = ['1d1713', '3b2417', '6b4226', 'a8693a', 'd9a84e', '8c8c8c', '9c3d22'] as const
const INK = colourOf('2a1c16')

const disc =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    Math.sqrt((x - cx) ** 2 + (y - cy) ** 2) - radius
/** Near its edge the distance is close to the exact one. */
const oval =
  (cx: number, cy: number, rx: number, ry: number): Shape =>
  (x, y) =>
    (Math.sqrt(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2) - 1) * Math.min(rx, ry)
const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    Math.max(left - x, x - right, top - y, y - bottom)
const both = (...shapes: Shape[]): Shape =>
  shapes.reduce((first, second) => (x, y) => Math.max(first(x, y), second(x, y)))
const any = (...shapes: Shape[]): Shape =>
  shapes.reduce((first, second) => (x, y) => Math.min(first(x, y), second(x, y)))
const outside =
  (shape: Shape): Shape =>
  (x, y) =>
    -shape(x, y)
const ring = (cx: number, cy: number, radius: number, width: number): Shape =>
  both(disc(cx, cy, radius + width / 2), outside(disc(cx, cy, radius - width / 2)))

const head = oval(48, 46, 19, 23)
const scalp = oval(48, 44, 21, 24.5)
const shirt = oval(48, 106, 38, 32)
const brow = box(20, 0, 76, 36)

/** The second colour of a shirt. */
const patterns: readonly Shape[] = [
  any(...[18, 32, 46, 60, 74].map(x => box(x, 60, x + 6, 96))),
  any(box(0, 80, 96, 84), box(0, 88, 96, 92)),
  (x, y) => Math.abs(x - 48 - (y - 84)) - 5,
  box(48, 60, 96, 96),
  box(43, 60, 53, 96),
  any(box(0, 60, 24, 96), box(72, 60, 96, 96)),
]

/** What is drawn behind and before the head. */
const hairstyles: readonly { behind?: Shape; before?: Shape }[] = [
  { before: both(scalp, (x, y) => y - 33 + Math.abs(x - 48) * 0.12) },
  { before: both(scalp, outside(oval(54, 50, 22, 21)), box(0, 0, 96, 50)) },
  {
    behind: any(oval(48, 50, 25, 30), box(23, 48, 73, 76)),
    before: both(scalp, outside(oval(48, 54, 17, 24))),
  },
  { behind: disc(48, 15, 10), before: both(scalp, brow, outside(oval(48, 56, 19, 26))) },
  { before: any(...[28, 36, 48, 60, 68].map((x, nth) => disc(x, [32, 24, 21, 24, 32][nth] ?? 0, 9))) },
  {},
]

/** A fan's picture as PNG: a face above a shirt. It depends only on `sub`. */
export function drawAvatar(sub: string): Buffer<ArrayBuffer> {
  const hash = createHash('sha256').update(sub).digest()
  const pick = <T>(list: readonly T[], byte: number) => list[(hash[byte] ?? 0) % list.length] as T
  const [kit, trim] = pick(kits, 0).map(colourOf) as [Colour, Colour]
  const [background, skin, hair] = [pick(backgrounds, 2), pick(skins, 3), pick(hairs, 4)].map(colourOf) as [
    Colour,
    Colour,
    Colour,
  ]
  const has = (byte: number, outOf: number) => (hash[byte] ?? 0) % outOf === 0
  const { behind, before } = pick(hairstyles, 5)
  const layers: Layer[] = [
    ...(behind ? [[hair, behind] as const] : []),
    [kit, shirt],
    [trim, both(shirt, pick(patterns, 1))],
    [trim, both(oval(48, 76, 14, 9), box(0, 72, 96, 96))],
    [mix(skin, INK, 0.18), any(both(oval(48, 74, 10, 8), box(0, 60, 96, 96)), box(39, 58, 57, 74))],
    [mix(skin, INK, 0.08), any(disc(29, 48, 4.5), disc(67, 48, 4.5))],
    [skin, head],
    ...(has(6, 4) ? [[mix(hair, skin, 0.15), both(head, outside(oval(48, 40, 18, 21)))] as const] : []),
    ...(before ? [[hair, before] as const] : []),
    [INK, any(disc(40.5, 47, 2.3), disc(55.5, 47, 2.3), both(ring(48, 53, 7, 1.8), box(0, 56.5, 96, 96)))],
    ...(has(7, 5)
      ? [[INK, any(ring(40, 47, 6.2, 1.5), ring(56, 47, 6.2, 1.5), box(45, 46, 51, 47.4))] as const]
      : []),
  ]
  return encodePng(paint(background, layers), SIDE)
}

function paint(background: Colour, layers: readonly Layer[]): Uint8Array {
  const pixels = new Uint8Array(SIDE * SIDE * 3)
  const unit = FIELD / SIDE
  for (let row = 0; row < SIDE; row++)
    for (let column = 0; column < SIDE; column++) {
      let colour = background
      for (const [top, shape] of layers) {
        const covered = 0.5 - shape((column + 0.5) * unit, (row + 0.5) * unit) / unit
        if (covered >= 1) colour = top
        else if (covered > 0) colour = mix(colour, top, covered)
      }
      pixels.set(colour, (row * SIDE + column) * 3)
    }
  return pixels
}

/** `share`: of the second colour, from 0 to 1. */
function mix(first: Colour, second: Colour, share: number): Colour {
  const at = (index: 0 | 1 | 2) => Math.round(first[index] + (second[index] - first[index]) * share)
  return [at(0), at(1), at(2)]
}

function colourOf(hex: string): Colour {
  const value = Number.parseInt(hex, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
