/** What the bytes of a picture say before it is decoded: its format, whether it is animated, and whether it is whole. */

export type Format = 'jpeg' | 'png' | 'webp'

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const START_OF_SCAN = Buffer.from('ffda', 'hex')
const END_OF_IMAGE = Buffer.from('ffd9', 'hex')
/** Each scan of a progressive JPEG goes over all pixels. Encoders write about ten. */
const MAX_SCANS = 40

/** By the first bytes, never by what the client says. Null: another format. */
export function formatOf(bytes: Buffer): Format | null {
  if (bytes.length > 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg'
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'png'
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  return isRiff ? 'webp' : null
}

/** An APNG has a chunk `acTL` before its pixels; a WebP has one named `ANIM`. */
export function isAnimated(bytes: Buffer, format: Format): boolean {
  if (format === 'jpeg') return false
  for (const { type } of chunksOf(bytes, format)) {
    if (type === 'acTL' || type === 'ANIM' || type === 'ANMF') return true
    if (type === 'IDAT') return false
  }
  return false
}

/** Decoders fill what is missing of a JPEG with grey, so its end is looked for. The other formats are checked by their decoders. */
export function isWhole(bytes: Buffer, format: Format): boolean {
  if (format !== 'jpeg') return true
  let offset = firstScan(bytes)
  if (offset < 0 || bytes.indexOf(END_OF_IMAGE, offset) < 0) return false
  for (let scans = 0; offset >= 0; scans++) {
    if (scans > MAX_SCANS) return false
    offset = bytes.indexOf(START_OF_SCAN, offset + 2)
  }
  return true
}

/** Where the pixels begin. Segments before them may contain whole pictures: thumbnails. */
function firstScan(bytes: Buffer): number {
  for (let offset = 2; offset + 4 <= bytes.length && bytes[offset] === 0xff; ) {
    const marker = bytes[offset + 1]
    if (marker === 0xda) return offset
    // A marker may be preceded by any number of fill bytes.
    offset += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(offset + 2)
  }
  return -1
}

export interface Chunk {
  type: string
  /** With its header and its padding or checksum. */
  start: number
  end: number
}

/** The chunks of a PNG or a WebP, as far as they are whole. */
export function* chunksOf(bytes: Buffer, format: 'png' | 'webp'): Generator<Chunk> {
  const isPng = format === 'png'
  for (let start = isPng ? 8 : 12; start + 8 <= bytes.length; ) {
    const size = isPng ? bytes.readUInt32BE(start) : bytes.readUInt32LE(start + 4)
    const type = bytes.toString('latin1', start + (isPng ? 4 : 0), start + (isPng ? 8 : 4))
    const end = start + 8 + size + (isPng ? 4 : size % 2)
    yield { type, start, end }
    start = end
  }
}
