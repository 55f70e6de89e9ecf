/** Pictures as bytes, for tests. */
import { deflateSync } from 'node:zlib'

/** One chunk of a PNG. */
export function pngChunk(type: string, data: Uint8Array): Buffer<ArrayBuffer> {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(Bun.hash.crc32(content))
  return Buffer.concat([length, content, checksum])
}

const header = (width: number, height: number) => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([8, 2], 8)
  return pngChunk('IHDR', data)
}

interface PngOptions {
  width?: number
  height?: number
  /** The value of every channel. Pictures of different shades have different bytes. */
  shade?: number
  /** Before the pixels. */
  chunks?: Buffer[]
}

export function png({
  width = 8,
  height = 6,
  shade = 90,
  chunks = [],
}: PngOptions = {}): Buffer<ArrayBuffer> {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, shade)])
  const pixels = Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    header(width, height),
    ...chunks,
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PNG of a few bytes that says it has these dimensions. */
export const bomb = (width: number, height: number) => {
  const small = png()
  const end = 8 + header(1, 1).length
  return Buffer.concat([small.subarray(0, 8), header(width, height), small.subarray(end)])
}

export const jpeg = async (options?: PngOptions) =>
  Buffer.from(await new Bun.Image(png(options)).jpeg({ quality: 90 }).bytes())

/** A JPEG with an Exif segment: `orientation` as in Exif, and a text. */
export async function jpegWithExif(
  options: PngOptions,
  orientation: number,
  text: string,
): Promise<Buffer<ArrayBuffer>> {
  const plain = await jpeg(options)
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*\0\0\0\x08\0\x01', 'latin1')
  tiff.writeUInt16BE(0x0112, 10)
  tiff.writeUInt16BE(3, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  const data = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from(text)])
  const segment = Buffer.from([0xff, 0xe1, 0, 0])
  segment.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([plain.subarray(0, 2), segment, data, plain.subarray(2)])
}
