/** What phones and programs write around and behind a picture neither refuses it, nor turns it, nor gets into a file or a decoder. */
import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { createEncoder } from '../../../src/club/pictures/encode.ts'
import type { Orientation } from '../../../src/club/pictures/exif.ts'
import { formatOf, trimPicture } from '../../../src/club/pictures/trim.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { exifSegment, JPEGS, PNGS, SECRET, tiff, WEBPS, webpChunk, webpWith } from './layouts.ts'
import { bomb, jpeg, png, pngChunk } from './picture-bytes.ts'

const encode = createEncoder()
const SIZE = { width: 48, height: 32 }
/** An even number of bytes: the last chunk of the tests with padding. */
const webp = async () => Buffer.from(await new Bun.Image(png(SIZE)).webp({ lossless: true }).bytes())

/** Every pixel of its own colour. */
const colourAt = (x: number, y: number) => [x * 5, y * 7, (x + y) * 3]

function drawn(width: number, height: number, at: (x: number, y: number) => number[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => at(x, y)).flat(),
  ])
  const pixels = deflateSync(Buffer.from(rows.flat()))
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

const [W, H] = [SIZE.width, SIZE.height]
/** Where a pixel of the file is on the upright picture of W × H: Exif 3.0, table 6. */
const SHOWN: Record<Orientation, (x: number, y: number) => [x: number, y: number]> = {
  1: (x, y) => [x, y],
  2: (x, y) => [W - 1 - x, y],
  3: (x, y) => [W - 1 - x, H - 1 - y],
  4: (x, y) => [x, H - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y) => [W - 1 - y, x],
  7: (x, y) => [W - 1 - y, H - 1 - x],
  8: (x, y) => [y, H - 1 - x],
}
const stored = (orientation: Orientation) => {
  const [width, height] = orientation >= 5 ? [H, W] : [W, H]
  return {
    size: { width, height },
    file: drawn(width, height, (x, y) => colourAt(...SHOWN[orientation](x, y))),
  }
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8] as const)('orientation %d', orientation => {
  const { file, size } = stored(orientation)
  const upright = () => encode(drawn(W, H, colourAt), 512)

  test.each([
    [
      'a PNG',
      () => Buffer.concat([file.subarray(0, 33), pngChunk('eXIf', tiff({ orientation })), file.subarray(33)]),
    ],
    [
      'a PNG, behind its pixels',
      () =>
        Buffer.concat([
          file.subarray(0, -12),
          pngChunk('eXIf', tiff({ order: 'II', orientation })),
          file.subarray(-12),
        ]),
    ],
    [
      'a WebP',
      async () => {
        const plain = Buffer.from(await new Bun.Image(file).webp({ lossless: true }).bytes())
        return webpWith(plain, 0x08, [], [webpChunk('EXIF', tiff({ order: 'II', orientation }))], size)
      },
    ],
  ])('%s is turned upright, pixel by pixel', async (_, make) => {
    const { bytes, width, height } = await encode(await make(), 512)
    expect([width, height]).toEqual([W, H])
    expect(bytes.equals((await upright()).bytes)).toBe(true)
  })

  test.each(['II', 'MM'] as const)('a JPEG is turned upright as Bun does it (%s)', async order => {
    const plain = Buffer.from(await new Bun.Image(file).jpeg({ quality: 95 }).bytes())
    const turned = Buffer.concat([
      plain.subarray(0, 2),
      exifSegment(tiff({ order, orientation, thumbnail: plain })),
      plain.subarray(2),
    ])
    const { bytes, width, height } = await encode(turned, 512)
    expect([width, height]).toEqual([W, H])
    const expected = await new Bun.Image(turned)
      .resize(512, 512, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .buffer()
    expect(bytes.equals(expected)).toBe(true)
  })
})

const files: [string, () => Promise<Buffer>, (plain: Buffer) => Buffer][] = [
  ...JPEGS.map(
    ([what, make]) =>
      [`a JPEG of ${what}`, () => jpeg(SIZE), make] as [string, () => Promise<Buffer>, typeof make],
  ),
  ...PNGS.map(
    ([what, make]) =>
      [`a PNG of ${what}`, async () => png(SIZE), make] as [string, () => Promise<Buffer>, typeof make],
  ),
  ...WEBPS.map(
    ([what, make]) =>
      [`a WebP of ${what}`, webp, (plain: Buffer) => make(plain, SIZE)] as [
        string,
        () => Promise<Buffer>,
        (plain: Buffer) => Buffer,
      ],
  ),
]

test.each<[string, ReturnType<typeof formatOf>]>([
  ['ffd8ffe0', 'jpeg'],
  ['ffd8ff', null],
  ['ff00ffe0', null],
  ['00d8ffe0', null],
  ['ffd800e0', null],
  ['89504e470d0a1a0a', 'png'],
  ['89504e470d0a1a0b', null],
  ['524946460400000057454250', 'webp'],
  ['524946460400000057454251', null],
  ['524946450400000057454250', null],
])('the first bytes %s are of %p', (hex, format) => {
  expect(formatOf(Buffer.from(hex, 'hex'))).toBe(format)
})

test('a chunk of a WebP that is longer than the file is damaged', async () => {
  const written = Buffer.from(await webp())
  written.writeUInt32LE(written.readUInt32LE(16) + 64, 16)
  expect(trimPicture(written, 'webp')).toBe('damaged')
})

test.each(files)(
  '%s is encoded in the same way as its pixels without metadata',
  async (_, makePlain, write) => {
    const plain = await makePlain()
    const [expected, written] = [await encode(plain, 512), await encode(write(plain), 512)]
    expect(written).toEqual(expected)
    expect(written.bytes.includes(SECRET)).toBe(false)
  },
)

test.each(files)('a decoder gets only the pixels of %s, without metadata', async (_, makePlain, write) => {
  const plain = await makePlain()
  const written = write(plain)
  const trimmed = trimPicture(written, formatOf(written) ?? 'png')
  if (typeof trimmed === 'string') throw new Error(trimmed)
  expect(trimmed.bytes.includes(SECRET)).toBe(false)
  // A WebP with an extended header keeps it.
  expect(trimmed.bytes.length - plain.length).toBeLessThanOrEqual(18)
  // The upload itself is not changed.
  expect(written.equals(write(plain))).toBe(true)
})

test.each([
  ['one column of 25 million pixels', 1, 25_000_000],
  ['one row of 25 million pixels', 25_000_000, 1],
  ['a side of 16,385 pixels', 16_385, 1],
])('%s is refused before it is decoded', async (_, width, height) => {
  const error = await encode(bomb(width, height), 512).catch(error => error)
  expect(error).toBeInstanceOf(DomainError)
  expect(error.code).toBe('picture_too_large')
})

test('a panorama of 16,384 pixels is accepted', async () => {
  expect(await encode(png({ width: 16_384, height: 8 }), 512)).toMatchObject({ width: 512, height: 1 })
})

test.each([
  ['a JPEG of fill bytes', () => Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(6_000_000, 0xff)])],
  [
    'a JPEG of stuffed bytes',
    () =>
      Buffer.concat([
        Buffer.from('ffd8ffda0002', 'hex'),
        Buffer.alloc(6_000_000, Buffer.from('ff00', 'hex')),
      ]),
  ],
  [
    'a PNG of empty chunks',
    () => Buffer.concat([png().subarray(0, 33), Buffer.alloc(6_000_000, pngChunk('IDAT', Buffer.alloc(0)))]),
  ],
  [
    'a WebP of empty chunks',
    () =>
      Buffer.concat([
        Buffer.from('RIFF\xff\xff\xff\x7fWEBP', 'latin1'),
        Buffer.alloc(6_000_000, webpChunk('VP8 ', Buffer.alloc(0))),
      ]),
  ],
  [
    'a JPEG of tables and comments in turn',
    () =>
      Buffer.concat([
        Buffer.from('ffd8', 'hex'),
        Buffer.alloc(6_000_000, Buffer.from('ffdb0002fffe0002', 'hex')),
        Buffer.from('ffda0002ffd9', 'hex'),
      ]),
  ],
])('%s is read once, and refused', async (_, make) => {
  expect((await encode(make(), 512).catch(error => error)).code).toBe('picture_damaged')
})
