/** Reads the pictures that the catalogue names, for drawing: uploads, files of the demonstration, and those of other servers. */
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Reader } from '../../../db/index.ts'
import { downloadPicture } from '../../club/pictures/download.ts'
import { isFileShown } from '../../club/pictures/owned.ts'
import type { PictureStore } from '../../club/pictures/store.ts'
import { createGuardedFetch } from '../../core/ssrf-guard.ts'
import { nameOf, UPLOADED } from '../../core/uploaded-url.ts'

export interface Art {
  /** Its content, so that a picture that changes at the same address is drawn again. */
  src: string
  data: Uint8Array<ArrayBuffer>
}

/** Null for a picture that cannot be read: a share is drawn without it. */
export type ReadArt = (url: string) => Promise<Art | null>

interface ArtSources {
  read: Reader
  pictureStore: PictureStore | null
  /** Of `/demo`, in development. */
  demoFolder: string | null
  publicUrl: string | null
  production: boolean
}

/** Memory of all kept pictures. */
const KEPT_BYTES = 24 * 1_024 * 1_024
const KEPT_MS = 10 * 60_000
/** A picture that cannot be read now is tried again after this time. */
const MISSING_MS = 60_000

const DEMO_PICTURE = /^\/demo\/(pictures\/[\w-]+\.svg)$/

export function createArtReader({
  read,
  pictureStore,
  demoFolder,
  publicUrl,
  production,
}: ArtSources): ReadArt {
  const guardedFetch = createGuardedFetch({ publicOnly: production })
  const kept = new LRUCache<string, { art: Art | null }>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ art }) => 1_000 + (art?.data.byteLength ?? 0),
    ttl: KEPT_MS,
  })

  async function load(url: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const fileId = UPLOADED.exec(url)?.[1]
    if (fileId !== undefined)
      return pictureStore && (await isFileShown(read, fileId)) ? pictureStore.get(nameOf(fileId)) : null
    const demoFile = DEMO_PICTURE.exec(url)?.[1]
    if (demoFile !== undefined && demoFolder !== null) return Bun.file(join(demoFolder, demoFile)).bytes()
    const address = url.startsWith('/') ? publicUrl && publicUrl + url : url
    return address === null ? null : downloadPicture(guardedFetch, address)
  }

  return async url => {
    const known = kept.get(url)
    if (known) return known.art
    const data = await load(url).catch(() => null)
    const art = data && { src: `art:${Bun.hash(data).toString(36)}`, data }
    kept.set(url, { art }, art ? {} : { ttl: MISSING_MS })
    return art
  }
}
