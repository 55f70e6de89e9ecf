/**
 * Reduces a JPEG to the segments that determine its pixels, up to the end of the first picture: ITU-T T.81,
 * annex B.
 */
import { type Orientation, orientationIn } from './exif.ts'
import { type Fault, Parts, type Trimmed } from './trimmed.ts'

/** Decoding each scan of a progressive JPEG processes all pixels. Encoders write about ten. */
const MAX_SCANS = 40

const [START_OF_IMAGE, END_OF_IMAGE, START_OF_SCAN, APP0, APP1, APP14] = [0xd8, 0xd9, 0xda, 0xe0, 0xe1, 0xee]

/** Decoders fill what is missing with grey, so that a file without its end is refused here. */
export function trimJpeg(bytes: Buffer): Trimmed | Fault {
  const kept = new Parts(bytes, 0, 2)
  let orientation: Orientation | undefined
  let scans = 0
  for (let start = markerAfter(bytes, 2); start >= 0; ) {
    const marker = bytes[start + 1] ?? 0
    if (marker === START_OF_IMAGE) {
      start = markerAfter(bytes, start + 2)
      continue
    }
    if (marker === END_OF_IMAGE) {
      if (scans === 0) return 'damaged'
      kept.add(start, start + 2)
      return { bytes: kept.join(), orientation: orientation ?? 1 }
    }
    if (start + 4 > bytes.length) return 'damaged'
    const end = start + 2 + bytes.readUInt16BE(start + 2)
    if (end < start + 4 || end > bytes.length) return 'damaged'
    // The first one is of the picture. XMP has the same marker, and no orientation that viewers follow.
    if (marker === APP1 && !orientation) orientation = exifIn(bytes.subarray(start + 4, end))
    if (marker === START_OF_SCAN && ++scans > MAX_SCANS) return 'damaged'
    const next = markerAfter(bytes, end)
    if (next < 0) return 'damaged'
    // After a segment there is nothing but the pixels of a scan: stray bytes that programs leave are left out.
    if (decidesPixels(marker, bytes, start)) kept.add(start, marker === START_OF_SCAN ? next : end)
    if (kept.areTooMany) return 'damaged'
    start = next
  }
  return 'damaged'
}

/** Where the next marker is: neither a byte 255 of pixels, nor a restart within them, nor fill bytes. −1: the file ends before. */
function markerAfter(bytes: Buffer, from: number): number {
  for (let offset = from; offset + 1 < bytes.length; offset++) {
    if (bytes[offset] !== 0xff) continue
    const marker = bytes[offset + 1] ?? 0
    const isRestart = marker >= 0xd0 && marker <= 0xd7
    if (marker > 0x01 && marker !== 0xff && !isRestart) return offset
  }
  return -1
}

const exifIn = (segment: Buffer) =>
  segment.toString('latin1', 0, 5) === 'Exif\0' ? orientationIn(segment) : undefined

/** Tables, frames and scans; of the programs' segments those that say what the components are. */
function decidesPixels(marker: number, bytes: Buffer, start: number): boolean {
  const begins = (name: string) => bytes.toString('latin1', start + 4, start + 4 + name.length) === name
  if (marker === APP0) return begins('JFIF\0')
  if (marker === APP14) return begins('Adobe')
  return marker >= 0xc0 && marker <= 0xdf
}
