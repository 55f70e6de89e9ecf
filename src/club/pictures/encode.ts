/**
 * Decodes an uploaded picture, and encodes only its pixels as WebP. Bun's codecs
 * work on a thread of their own, so requests do not wait for them.
 */

import { createSemaphore, type Semaphore } from '../../../db/semaphore.ts'
import { errorCode } from '../../core/error-code.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { Orientation } from './exif.ts'
import { pictureProblems } from './problems.ts'
import { formatOf, trimPicture, trimWebp } from './trim.ts'

/** A decoded pixel takes four bytes: 100 MB. Cameras of phones take 12 or 24 million. */
const MAX_PIXELS = 25_000_000
/**
 * Maximum width and height: panoramas of phones need this. A picture of one column takes five times as long as a square one.
 */
const MAX_SIDE = 16_384
/**
 * Maximum number of pictures that are decoded at the same time, and of those that wait, each of which is held
 * in memory. For one fan, one is decoded and one waits.
 */
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
  const byFan = new Map<string, Semaphore>()

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (turns.waiting >= MAX_WAITING) throw overloaded()
    await turns.acquire()
    try {
      return await work()
    } finally {
      turns.release()
    }
  }

  async function inTurnOf<Result>(fan: string, work: () => Promise<Result>): Promise<Result> {
    const own = byFan.getOrInsertComputed(fan, () => createSemaphore(1))
    if (own.waiting > 0) throw overloaded()
    await own.acquire()
    try {
      return await inTurn(work)
    } finally {
      own.release()
      if (own.held === 0) byFan.delete(fan)
    }
  }

  /**
   * A WebP of at most `maxSide` pixels in width and height, upright, without metadata and colour profile. `fan`: whose picture it is.
   * @throws DomainError `picture_not_supported`, `picture_damaged`, `picture_too_large`, `overloaded`
   */
  return async function encodePicture(upload: Uint8Array, maxSide: number, fan?: string): Promise<Encoded> {
    const bytes = Buffer.from(upload.buffer, upload.byteOffset, upload.byteLength)
    const format = formatOf(bytes)
    if (format === null) throw new DomainError(pictureProblems.picture_not_supported)
    const trimmed = trimPicture(bytes, format)
    if (trimmed === 'animated')
      throw new DomainError(pictureProblems.picture_not_supported, { detail: 'The picture is animated.' })
    if (trimmed === 'damaged') throw new DomainError(pictureProblems.picture_damaged)
    const work = () => encodePixels(trimmed.bytes, trimmed.orientation, maxSide)
    return fan === undefined ? inTurn(work) : inTurnOf(fan, work)
  }
}

async function encodePixels(bytes: Buffer, orientation: Orientation, maxSide: number): Promise<Encoded> {
  try {
    const picture = new Bun.Image(bytes, { maxPixels: MAX_PIXELS, autoOrient: false })
    const size = await picture.metadata()
    if (Math.max(size.width, size.height) > MAX_SIDE)
      throw tooLarge(`Width and height must not exceed ${MAX_SIDE}.`)
    const encoded = await turnUpright(picture, orientation)
      .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .buffer()
    return { bytes: onlyPixels(encoded), width: picture.width, height: picture.height }
  } catch (error) {
    throw problemOf(error)
  }
}

const overloaded = () => new DomainError(transportProblems.overloaded, { retryAfter: 2 })

function problemOf(error: unknown): unknown {
  const code = errorCode(error)
  if (code === 'ERR_IMAGE_TOO_MANY_PIXELS')
    return tooLarge(`Width times height must not exceed ${MAX_PIXELS}.`)
  const isDamage = code === 'ERR_IMAGE_DECODE_FAILED' || code === 'ERR_IMAGE_UNKNOWN_FORMAT'
  return isDamage ? new DomainError(pictureProblems.picture_damaged) : error
}

const tooLarge = (detail: string) => new DomainError(pictureProblems.picture_too_large, { detail })

/** Bun rotates before it mirrors, and applies the orientation automatically only for JPEG. */
function turnUpright(picture: Bun.Image, orientation: Orientation): Bun.Image {
  const turned = orientation >= 5 ? picture.rotate(orientation === 8 ? 270 : 90) : picture
  if (orientation === 3) return turned.rotate(180)
  if (orientation === 2 || orientation === 5) return turned.flop()
  return orientation === 4 || orientation === 7 ? turned.flip() : turned
}

/** Without the colour profile, which the encoder keeps and which may hold any bytes. */
function onlyPixels(webp: Buffer): Buffer {
  const trimmed = trimWebp(webp)
  if (typeof trimmed === 'string') throw new Error('the encoder wrote no picture')
  return trimmed.bytes
}
