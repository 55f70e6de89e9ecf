/**
 * Reduces a file to its picture before it is decoded. Phones and programs add other data around and after the
 * pixels: thumbnails, profiles, edits, videos, second pictures. It must neither make the upload fail nor cost
 * time and memory. Each file is read once.
 */
import { type Orientation, orientationIn } from './exif.ts'
import { trimJpeg } from './trim-jpeg.ts'
import { type Fault, Parts, type Trimmed } from './trimmed.ts'

export type Format = 'jpeg' | 'png' | 'webp'

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Detected from the first bytes, never from the client's header. Null: another format. */
export function formatOf(bytes: Buffer): Format | null {
  if (bytes.length > 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg'
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'png'
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  return isRiff ? 'webp' : null
}

export function trimPicture(bytes: Buffer, format: Format): Trimmed | Fault {
  if (format === 'jpeg') return trimJpeg(bytes)
  return format === 'png' ? trimPng(bytes) : trimWebp(bytes)
}

/** The name of a chunk as its four bytes are read, big-endian. */
const named = (name: string) => Buffer.from(name, 'latin1').readUInt32BE(0)

const [IEND, IDAT, ACTL, EXIF_IN_PNG] = ['IEND', 'IDAT', 'acTL', 'eXIf'].map(named)
/** Chunks of a PNG that decide pixels. */
const PNG_PIXELS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'].map(named))

function trimPng(bytes: Buffer): Trimmed | Fault {
  const kept = new Parts(bytes, 0, 8)
  let orientation: Orientation | undefined
  let hasPixels = false
  for (let start = 8; start + 12 <= bytes.length; ) {
    const [size, type] = [bytes.readUInt32BE(start), bytes.readUInt32BE(start + 4)]
    const end = start + 12 + size
    if (end > bytes.length) return 'damaged'
    hasPixels ||= type === IDAT
    // A still picture in the frame of an animation has one frame.
    if (type === ACTL && !hasPixels && (size < 4 || bytes.readUInt32BE(start + 8) !== 1)) return 'animated'
    if (type === EXIF_IN_PNG) orientation ??= orientationIn(bytes.subarray(start + 8, end - 4))
    if (PNG_PIXELS.has(type)) kept.add(start, end)
    if (kept.areTooMany) return 'damaged'
    if (type === IEND) return { bytes: kept.join(), orientation: orientation ?? 1 }
    start = end
  }
  return 'damaged'
}

const [VP8X, ANIM, ANMF, EXIF_IN_WEBP] = ['VP8X', 'ANIM', 'ANMF', 'EXIF'].map(named)
/** Chunks of a WebP that decide pixels. */
const WEBP_PIXELS = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH'].map(named))
/** Flags in `VP8X` for metadata: colour profile, Exif, XMP. */
const METADATA_FLAGS = 0x20 | 0x08 | 0x04
const [RIFF_HEAD, FLAGS_AT] = [12, 20]

/** Also what the encoder has written: it keeps the colour profile, which may hold any bytes. */
export function trimWebp(bytes: Buffer): Trimmed | Fault {
  const kept = new Parts(bytes, 0, RIFF_HEAD)
  let orientation: Orientation | undefined
  // What follows the container is no part of the picture.
  const length = Math.min(bytes.length, 8 + bytes.readUInt32LE(4))
  for (let start = RIFF_HEAD; start + 8 <= length; ) {
    const [type, size] = [bytes.readUInt32BE(start), bytes.readUInt32LE(start + 4)]
    if (type === ANIM || type === ANMF) return 'animated'
    const end = start + 8 + size
    if (end > length) return 'damaged'
    if (type === EXIF_IN_WEBP) orientation ??= orientationIn(bytes.subarray(start + 8, end))
    // The byte that makes a size even may be missing at the end.
    const padded = Math.min(end + (size % 2), bytes.length)
    if (WEBP_PIXELS.has(type)) kept.add(start, padded)
    if (kept.areTooMany) return 'damaged'
    start = end + (size % 2)
  }
  const file = kept.join()
  file.writeUInt32LE(file.length - 8, 4)
  if (file.length > FLAGS_AT && file.readUInt32BE(RIFF_HEAD) === VP8X)
    file[FLAGS_AT] = (file[FLAGS_AT] ?? 0) & ~METADATA_FLAGS
  return { bytes: file, orientation: orientation ?? 1 }
}
