/**
 * Pictures that the identity provider states for fans. The server reads and encodes them again, so that no page of the console
 * sends anything to another site. They are kept in memory only, for some minutes.
 */
import { LRUCache } from 'lru-cache'
import { downloadPicture } from '../../../club/pictures/download.ts'
import type { EncodePicture } from '../../../club/pictures/encode.ts'
import { createGuardedFetch } from '../../../core/ssrf-guard.ts'

/** Pixels: twice the largest face of the pages. */
const SIDE = 128
/** Of a few kilobytes each. */
const KEPT = 1_000
const KEPT_MS = 10 * 60_000
/** A picture that cannot be read now is tried again after this time. */
const MISSING_MS = 60_000

interface Face {
  url: string
  bytes: Promise<Buffer<ArrayBuffer> | null>
}

interface FaceDeps {
  encodePicture: EncodePicture
  config: { production: boolean }
}

export function createFaces({ encodePicture, config: { production } }: FaceDeps) {
  const fetch = createGuardedFetch({ publicOnly: production })
  const kept = new LRUCache<string, Face>({ max: KEPT, ttl: KEPT_MS, ttlAutopurge: true })

  async function load(url: string): Promise<Buffer<ArrayBuffer> | null> {
    if (production && !url.startsWith('https://')) return null
    const picture = await downloadPicture(fetch, url)
    if (picture === null) return null
    const { bytes } = await encodePicture(picture, SIDE)
    return Buffer.from(bytes)
  }

  /** A WebP; null if there is none that can be read. */
  return async function readFace(fanId: string, url: string | null) {
    const known = kept.get(fanId)
    if (url === null) kept.delete(fanId)
    else if (known?.url === url) return known.bytes
    if (url === null) return null
    const bytes = load(url).catch(() => null)
    kept.set(fanId, { url, bytes })
    const face = await bytes
    if (face === null) kept.set(fanId, { url, bytes }, { ttl: MISSING_MS })
    return face
  }
}
