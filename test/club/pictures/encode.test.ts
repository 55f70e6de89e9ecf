/** Processing of uploaded bytes, including hostile ones. */
import { expect, test } from 'bun:test'
import { createEncoder } from '../../../src/club/pictures/encode.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { bomb, jpeg, jpegWithExif, png, pngChunk } from './picture-bytes.ts'

const encode = createEncoder()
const SECRET = 'taken at home'

async function refusalOf(bytes: Uint8Array): Promise<string> {
  const error = await encode(bytes, 512).then(
    () => 'accepted',
    error => error,
  )
  if (error instanceof DomainError) return error.code
  throw new Error('not refused by a problem', { cause: error })
}

const animatedWebp = () => {
  const flags = Buffer.from([0x02, 0, 0, 0, 7, 0, 0, 7, 0, 0])
  const chunk = (type: string, data: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(data.length)
    return Buffer.concat([Buffer.from(type), size, data])
  }
  const chunks = Buffer.concat([chunk('VP8X', flags), chunk('ANIM', Buffer.alloc(6))])
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(4 + chunks.length, 4)
  return Buffer.concat([head, chunks])
}

test.each([
  ['nothing', () => Buffer.alloc(0), 'picture_not_supported'],
  ['a text', () => Buffer.from('hello'), 'picture_not_supported'],
  [
    'an SVG with a script',
    () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'picture_not_supported',
  ],
  ['a page', () => Buffer.from('<!doctype html><script>alert(1)</script>'), 'picture_not_supported'],
  ['a GIF', () => Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'), 'picture_not_supported'],
  ['a form with a picture', () => Buffer.concat([Buffer.from('--x\r\n'), png()]), 'picture_not_supported'],
  ['an animated PNG', () => png({ chunks: [pngChunk('acTL', Buffer.alloc(8))] }), 'picture_not_supported'],
  ['an animated WebP', animatedWebp, 'picture_not_supported'],
  ['three bytes of a JPEG', () => Buffer.from('ffd8ff', 'hex'), 'picture_not_supported'],
  ['the signature of a PNG alone', () => png().subarray(0, 8), 'picture_damaged'],
  ['half a PNG', () => png({ width: 99 }).subarray(0, 60), 'picture_damaged'],
  ['a JPEG without its end', async () => (await jpeg()).subarray(0, -2), 'picture_damaged'],
  ['half a JPEG', async () => (await jpeg({ width: 99 })).subarray(0, 400), 'picture_damaged'],
  [
    'half a JPEG whose thumbnail is whole',
    async () => (await jpegWithExif({ width: 99 }, 1, '\xff\xd9')).subarray(0, 460),
    'picture_damaged',
  ],
  [
    'a JPEG of very many scans',
    async () =>
      Buffer.concat([
        (await jpeg()).subarray(0, -2),
        Buffer.from('ffda'.repeat(60), 'hex'),
        Buffer.from('ffd9', 'hex'),
      ]),
    'picture_damaged',
  ],
  ['a WebP of its header alone', () => Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'), 'picture_damaged'],
  ['a bomb of 60,000 × 60,000 pixels', () => bomb(60_000, 60_000), 'picture_too_large'],
  ['a picture of 32 million pixels', () => bomb(16_000, 2_000), 'picture_too_large'],
  ['a PNG wider than the format allows', () => bomb(2_147_483_648, 1), 'picture_damaged'],
])('%s is refused', async (_, make, code) => {
  expect(await refusalOf(await make())).toBe(code)
})

test('no pixel buffer is allocated for a small file with too many pixels', async () => {
  const before = process.memoryUsage.rss()
  for (let n = 0; n < 20; n++) expect(await refusalOf(bomb(50_000, 50_000))).toBe('picture_too_large')
  // One alone would take 10 GB.
  expect(process.memoryUsage.rss() - before).toBeLessThan(500_000_000)
})

test.each([
  ['JPEG', () => jpeg({ width: 1_200, height: 600 })],
  ['PNG', () => png({ width: 1_200, height: 600 })],
  ['WebP', async () => Buffer.from(await new Bun.Image(png({ width: 1_200, height: 600 })).webp().bytes())],
])('a %s becomes a WebP within the bounds, with its proportions', async (_, make) => {
  const { bytes, width, height } = await encode(await make(), 512)
  expect([width, height]).toEqual([512, 256])
  expect(await new Bun.Image(bytes).metadata()).toEqual({ width, height, format: 'webp' })
})

test('a small picture is not enlarged', async () => {
  expect(await encode(png({ width: 8, height: 6 }), 512)).toMatchObject({ width: 8, height: 6 })
})

test('a picture is turned upright, and Exif is gone', async () => {
  const { bytes, width, height } = await encode(await jpegWithExif({ width: 40, height: 20 }, 6, SECRET), 512)
  expect([width, height]).toEqual([20, 40])
  expect(bytes.includes(SECRET)).toBe(false)
  expect(bytes.includes('EXIF')).toBe(false)
})

test.each([
  ['a comment', () => png({ chunks: [pngChunk('tEXt', Buffer.from(`Comment\0${SECRET}`))] })],
  ['what follows the picture', () => Buffer.concat([png(), Buffer.from(`PK\x03\x04 <script>${SECRET}`)])],
])('%s is not in the file', async (_, make) => {
  const { bytes } = await encode(make(), 512)
  expect(bytes.includes(SECRET)).toBe(false)
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
})

test('the colour profile is not in the file, which stays readable', async () => {
  const profile = Buffer.alloc(600)
  profile.writeUInt32BE(600, 0)
  profile.write('acsp', 36)
  profile.write('RGB XYZ ', 16)
  profile.write('mntr', 12)
  profile.write(SECRET, 400)
  const chunk = pngChunk(
    'iCCP',
    Buffer.concat([Buffer.from('p\0\0'), Bun.deflateSync(profile, { windowBits: 15 })]),
  )
  const { bytes } = await encode(png({ width: 30, height: 20, chunks: [chunk] }), 512)
  expect(bytes.includes('ICCP')).toBe(false)
  expect(bytes.includes(SECRET)).toBe(false)
  expect(await new Bun.Image(bytes).metadata()).toEqual({ width: 30, height: 20, format: 'webp' })
})

test('two pictures are decoded at once, eight wait, and further ones are refused', async () => {
  const own = createEncoder()
  const large = png({ width: 1_000, height: 1_000 })
  const outcomes = await Promise.allSettled(Array.from({ length: 14 }, () => own(large, 512)))
  const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
  expect(refused).toEqual(Array.from({ length: 4 }, () => 'overloaded'))
  expect(await own(large, 512)).toMatchObject({ width: 512 })
})

test('only one picture of a fan is decoded and one waits, so that other fans are served', async () => {
  const own = createEncoder()
  const large = png({ width: 1_000, height: 1_000 })
  const order: string[] = []
  const upload = (fan: string) => own(large, 512, fan).then(() => order.push(fan))
  const outcomes = Promise.allSettled(Array.from({ length: 12 }, () => upload('busy')))
  const others = Array.from({ length: 7 }, (_, n) => upload(`fan ${n}`))
  await Promise.all(others)
  const refused = (await outcomes).flatMap(outcome =>
    outcome.status === 'rejected' ? [outcome.reason.code] : [],
  )
  expect(refused).toEqual(Array.from({ length: 10 }, () => 'overloaded'))
  expect(order.toSorted()).toEqual([...others.map((_, n) => `fan ${n}`), 'busy', 'busy'].toSorted())
  expect(await own(large, 512, 'busy')).toMatchObject({ width: 512 })
})
