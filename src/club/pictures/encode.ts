/**
 * Decodes what was uploaded, and encodes its pixels as WebP. Nothing else of the upload gets into the file. Bun's codecs
 * work on a thread of their own, so requests do not wait for them.
 */
import { createSemaphore } from '../../../db/semaphore.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { pictureProblems } from './problems.ts'
import { chunksOf, formatOf, isAnimated, isWhole } from './sniff.ts'

/** A decoded pixel takes four bytes: 100 MB. Cameras of phones take 12 or 24 million. */
const MAX_PIXELS = 25_000_000
/** Pictures that are decoded at once, and those that wait, each of which is held in memory. */
const MAX_DECODED = 2
const MAX_WAITING = 8
const QUALITY = 82

export interface Encoded {
  bytes: Buffer
  width: number
  height: number
}

export type EncodePicture = ReturnType<typeof createEncoder>

export function createEncoder() {
  const turns = createSemaphore(MAX_DECODED)
  /**
   * A WebP of at most `maxSide` pixels in width and height, upright, without metadata and colour profile.
   * @throws DomainError `picture_not_supported`, `picture_damaged`, `picture_too_large`, `overloaded`
   */
  return async function encodePicture(upload: Uint8Array, maxSide: number): Promise<Encoded> {
    const bytes = Buffer.from(upload.buffer, upload.byteOffset, upload.byteLength)
    const format = formatOf(bytes)
    if (format === null) throw new DomainError(pictureProblems.picture_not_supported)
    if (isAnimated(bytes, format))
      throw new DomainError(pictureProblems.picture_not_supported, { detail: 'The picture is animated.' })
    if (!isWhole(bytes, format)) throw new DomainError(pictureProblems.picture_damaged)
    if (turns.waiting >= MAX_WAITING) throw new DomainError(transportProblems.overloaded, { retryAfter: 2 })
    await turns.acquire()
    try {
      const picture = new Bun.Image(bytes, { maxPixels: MAX_PIXELS })
        .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: QUALITY })
      const encoded = onlyPixels(Buffer.from(await picture.bytes()))
      return { bytes: encoded, width: picture.width, height: picture.height }
    } catch (error) {
      throw problemOf(error)
    } finally {
      turns.release()
    }
  }
}

function problemOf(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') {
    const detail = `Width times height must not exceed ${MAX_PIXELS}.`
    return new DomainError(pictureProblems.picture_too_large, { detail })
  }
  const isDamage = code === 'ERR_IMAGE_DECODE_FAILED' || code === 'ERR_IMAGE_UNKNOWN_FORMAT'
  return isDamage ? new DomainError(pictureProblems.picture_damaged) : error
}

const METADATA = ['ICCP', 'EXIF', 'XMP ']
/** Of the flags in `VP8X`: colour profile, Exif, XMP. */
const METADATA_FLAGS = 0x20 | 0x08 | 0x04

/** Without the colour profile, which the encoder keeps and which may hold any bytes. */
function onlyPixels(webp: Buffer): Buffer {
  const chunks = [...chunksOf(webp, 'webp')]
  if (!chunks.some(({ type }) => METADATA.includes(type))) return webp
  const kept = chunks.filter(({ type }) => !METADATA.includes(type))
  const file = Buffer.concat([
    webp.subarray(0, 12),
    ...kept.map(({ start, end }) => webp.subarray(start, end)),
  ])
  file.writeUInt32LE(file.length - 8, 4)
  if (file.toString('latin1', 12, 16) === 'VP8X') file[20] = (file[20] ?? 0) & ~METADATA_FLAGS
  return file
}
