/** Files as phones and programs write them: what stands around and behind a picture. Each has the pixels of `plain`. */
import { deflateSync } from 'node:zlib'
import type { Orientation } from '../../../src/club/pictures/exif.ts'
import { pngChunk } from './picture-bytes.ts'

export const SECRET = 'taken at home'
const latin = (text: string) => Buffer.from(text, 'latin1')

interface TiffOptions {
  order?: 'II' | 'MM'
  /** The orientation in the first directory; none by default. */
  orientation?: Orientation
  /** A thumbnail in the second directory, which has an orientation of its own. */
  thumbnail?: Buffer
}

/** As cameras write it: make, orientation, and a directory of the thumbnail. */
export function tiff({ order = 'MM', orientation, thumbnail }: TiffOptions = {}): Buffer {
  const number = (value: number, bytes: number) => {
    const data = Buffer.alloc(bytes)
    if (order === 'II') data.writeUIntLE(value, 0, bytes)
    else data.writeUIntBE(value, 0, bytes)
    return data
  }
  const entry = (tag: number, type: number, value: Buffer) =>
    Buffer.concat([number(tag, 2), number(type, 2), number(1, 4), value, Buffer.alloc(4 - value.length)])
  const make = entry(0x010f, 2, latin('C\0'))
  const entries = [make, ...(orientation ? [entry(0x0112, 3, number(orientation, 2))] : [])]
  const second = 8 + 2 + entries.length * 12 + 4
  const ofThumbnail = [entry(0x0112, 3, number(3, 2)), entry(0x0201, 4, number(second + 30, 4))]
  return Buffer.concat([
    latin(order),
    number(42, 2),
    number(8, 4),
    number(entries.length, 2),
    ...entries,
    number(thumbnail ? second : 0, 4),
    ...(thumbnail ? [number(2, 2), ...ofThumbnail, number(0, 4), thumbnail] : []),
    latin(SECRET),
  ])
}

const segment = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}
export const exifSegment = (data: Buffer) => segment(0xe1, Buffer.concat([latin('Exif\0\0'), data]))
const xmp = () =>
  segment(0xe1, latin(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta tiff:Orientation="3">${SECRET}</x:xmpmeta>`))
const box = (type: string, size: number) => {
  const data = Buffer.alloc(size, SECRET)
  data.writeUInt32BE(size, 0)
  data.write(type, 4, 'latin1')
  return data
}
const film = () => Buffer.concat([box('ftypmp42', 24), box('mdat', 40_000), box('moov', 2_000)])

/** After the start of the image, or after its end. */
const around = (plain: Buffer, before: Buffer[], behind: Buffer[] = []) =>
  Buffer.concat([plain.subarray(0, 2), ...before, plain.subarray(2), ...behind])

/** Files by the program that writes them. */
export const JPEGS: [string, (plain: Buffer) => Buffer][] = [
  [
    'an iPhone, with Exif and its thumbnail',
    plain => around(plain, [exifSegment(tiff({ thumbnail: plain }))]),
  ],
  [
    'an iPhone, with a depth map as a second picture (MPF)',
    plain =>
      around(
        plain,
        [exifSegment(tiff()), xmp(), segment(0xe2, Buffer.concat([latin('MPF\0'), tiff()]))],
        [plain],
      ),
  ],
  [
    'a Pixel, as a motion photo',
    plain => around(plain, [exifSegment(tiff({ order: 'II' })), xmp()], [film()]),
  ],
  ['Ultra HDR, with a gain map behind it', plain => around(plain, [xmp()], [plain, film()])],
  [
    'a Samsung, with its trailer',
    plain =>
      around(plain, [exifSegment(tiff({ order: 'II' }))], [latin(`Image_UTC_Data${SECRET}SEFH\0\0SEFT`)]),
  ],
  [
    'Photoshop, with resources, a profile in two parts and a comment',
    plain =>
      around(plain, [
        exifSegment(tiff()),
        segment(0xed, latin(`Photoshop 3.0\x008BIM\x04\x0c${SECRET}`)),
        xmp(),
        ...[1, 2].map(part =>
          segment(
            0xe2,
            Buffer.concat([latin(`ICC_PROFILE\0${String.fromCharCode(part)}\x02`), box('acsp', 900)]),
          ),
        ),
        segment(0xfe, latin(SECRET)),
      ]),
  ],
  [
    'a scanner, with a thumbnail in JFXX',
    plain => around(plain, [segment(0xe0, Buffer.concat([latin('JFXX\0\x10'), plain]))]),
  ],
  [
    'extended XMP of many segments',
    plain =>
      around(
        plain,
        Array.from({ length: 40 }, () =>
          segment(
            0xe1,
            Buffer.concat([latin('http://ns.adobe.com/xmp/extension/\0'), Buffer.alloc(60_000, SECRET)]),
          ),
        ),
      ),
  ],
  [
    'a program that leaves fill bytes',
    plain => around(plain, [Buffer.from([0xff, 0xff, 0xff]), xmp(), Buffer.from([0xff, 0xff])]),
  ],
  ['a program that leaves zeros between segments', plain => around(plain, [xmp(), Buffer.alloc(700)])],
  ['a broken Exif', plain => around(plain, [exifSegment(latin(`II*\0\xff\xff\xff\xff${SECRET}`))])],
  ['a server that adds a page', plain => around(plain, [], [latin(`\r\n<script>${SECRET}</script>`)])],
]

const withChunks = (plain: Buffer, before: Buffer[], behind: Buffer[] = [], after: Buffer[] = []) => {
  // Signature and IHDR are 33 bytes, IEND is 12.
  const [head, end] = [33, plain.length - 12]
  return Buffer.concat([
    ...[
      plain.subarray(0, head),
      ...before,
      plain.subarray(head, end),
      ...behind,
      plain.subarray(end),
      ...after,
    ],
  ])
}
const iccp = () =>
  pngChunk('iCCP', Buffer.concat([latin('Display P3\0\0'), deflateSync(Buffer.alloc(3_000, SECRET))]))
const broken = (chunk: Buffer) =>
  Buffer.concat([chunk.subarray(0, -1), Buffer.from([(chunk.at(-1) ?? 0) ^ 1])])

export const PNGS: [string, (plain: Buffer) => Buffer][] = [
  [
    'a screenshot of iOS',
    plain =>
      withChunks(plain, [
        ...[iccp(), pngChunk('eXIf', tiff()), pngChunk('pHYs', Buffer.alloc(9, 1))],
        ...[
          pngChunk('iTXt', latin(`XML:com.adobe.xmp\0\0\0\0\0${SECRET}`)),
          pngChunk('iDOT', Buffer.alloc(28)),
        ],
      ]),
  ],
  [
    'a screenshot of Android',
    plain =>
      withChunks(plain, [
        pngChunk('sBIT', Buffer.from([8, 8, 8])),
        pngChunk('tEXt', latin(`Software\0${SECRET}`)),
      ]),
  ],
  [
    'Photoshop, with a megabyte of edits',
    plain => withChunks(plain, [pngChunk('iTXt', Buffer.alloc(1_000_000, SECRET))]),
  ],
  [
    'a text that inflates to 100 MB',
    plain =>
      withChunks(plain, [
        pngChunk('zTXt', Buffer.concat([latin('c\0\0'), deflateSync(Buffer.alloc(100_000_000))])),
      ]),
  ],
  ['a profile whose checksum is wrong', plain => withChunks(plain, [broken(iccp())])],
  ['text behind the pixels', plain => withChunks(plain, [], [pngChunk('tEXt', latin(`Comment\0${SECRET}`))])],
  [
    'an animation of one picture',
    plain =>
      withChunks(plain, [
        pngChunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])),
        pngChunk('fcTL', Buffer.alloc(26)),
      ]),
  ],
  [
    'a thousand tiny chunks',
    plain =>
      withChunks(
        plain,
        Array.from({ length: 1_000 }, () => pngChunk('prVt', Buffer.alloc(0))),
      ),
  ],
  ['a film behind it', plain => withChunks(plain, [], [], [film()])],
]

export function webpChunk(type: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  return Buffer.concat([latin(type), size, data, Buffer.alloc(data.length % 2)])
}

/** `plain` is of one chunk. `flags`: of what the extended header says is there. */
export function webpWith(
  plain: Buffer,
  flags: number,
  before: Buffer[],
  behind: Buffer[],
  size: { width: number; height: number },
): Buffer {
  const header = Buffer.alloc(10)
  header[0] = flags
  header.writeUIntLE(size.width - 1, 4, 3)
  header.writeUIntLE(size.height - 1, 7, 3)
  const chunks = Buffer.concat([webpChunk('VP8X', header), ...before, plain.subarray(12), ...behind])
  const head = latin('RIFF\0\0\0\0WEBP')
  head.writeUInt32LE(4 + chunks.length, 4)
  return Buffer.concat([head, chunks])
}

type Size = { width: number; height: number }
export const WEBPS: [string, (plain: Buffer, size: Size) => Buffer][] = [
  [
    'Android, with a profile, Exif and XMP',
    (plain, size) =>
      webpWith(
        plain,
        0x2c,
        [webpChunk('ICCP', box('acsp', 900))],
        [webpChunk('EXIF', tiff({ order: 'II' })), webpChunk('XMP ', latin(SECRET))],
        size,
      ),
  ],
  [
    'Exif with the head of a JPEG’s',
    (plain, size) =>
      webpWith(plain, 0x08, [], [webpChunk('EXIF', Buffer.concat([latin('Exif\0\0'), tiff()]))], size),
  ],
  [
    'chunks of its own',
    (plain, size) => webpWith(plain, 0, [webpChunk('APPX', latin(`${SECRET}!`))], [], size),
  ],
  ['a film behind it', plain => Buffer.concat([plain, film()])],
  [
    'a last chunk without its padding',
    (plain, size) =>
      webpWith(plain, 0x04, [], [webpChunk('XMP ', latin(`${SECRET}!!`))], size).subarray(0, -1),
  ],
]
