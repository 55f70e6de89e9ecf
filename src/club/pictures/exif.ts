/** The orientation of a picture, as cameras write it: Exif 3.0 §4.6.4. */

/** 1: upright. 2 to 8: mirrored, turned, or both. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

const ORIENTATION = 0x0112
/** Types of TIFF: BYTE, SHORT, LONG. Exif asks for SHORT. */
const [BYTE, SHORT, LONG] = [1, 3, 4]
const ENTRY_BYTES = 12

/**
 * The orientation in the first directory, which describes the picture; the second one describes its thumbnail. Undefined if
 * there is none.
 */
export function orientationIn(exif: Buffer): Orientation | undefined {
  // In a JPEG always, in a WebP by some programs.
  const tiff = exif.toString('latin1', 0, 5) === 'Exif\0' ? exif.subarray(6) : exif
  const order = tiff.toString('latin1', 0, 2)
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return undefined
  const read = (offset: number, bytes: number) =>
    order === 'II' ? tiff.readUIntLE(offset, bytes) : tiff.readUIntBE(offset, bytes)
  const directory = read(4, 4)
  if (directory + 2 > tiff.length) return undefined
  const entries = read(directory, 2)
  for (let number = 0; number < entries; number++) {
    const entry = directory + 2 + number * ENTRY_BYTES
    if (entry + ENTRY_BYTES > tiff.length) return undefined
    if (read(entry, 2) !== ORIENTATION) continue
    const type = read(entry + 2, 2)
    const bytes = type === BYTE ? 1 : type === SHORT ? 2 : type === LONG ? 4 : 0
    const value = bytes === 0 ? 0 : read(entry + 8, bytes)
    return isOrientation(value) ? value : undefined
  }
  return undefined
}

const isOrientation = (value: number): value is Orientation => value >= 1 && value <= 8
