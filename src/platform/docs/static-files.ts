/** Files of the pages: each with an ETag, compressed once, and immutable if its name changes with its content. */
import { existsSync, statSync } from 'node:fs'
import {
  accepts,
  COMPRESSED_FROM_BYTES,
  type Coding,
  compress,
  isCompressible,
} from '../http/edge/compression.ts'
import { etagOf } from '../http/edge/conditional.ts'
import { taggedResponse } from './page-response.ts'

export interface StaticFile {
  type: string
  /** A path, or what a bundler made. */
  file: string | Blob
  policy?: string | undefined
  /** The name has a hash of the content. */
  hashed?: boolean
}

/** In the order of preference, with the ending of a file that the build of the executable has compressed. */
export const CODED_FILES = { br: '.br', gzip: '.gz' } as const satisfies Record<Coding, string>
// Guarantee of the cast: they are the keys of the object.
export const CODINGS = Object.keys(CODED_FILES) as Coding[]
export const isCoded = (name: string): boolean => Object.values(CODED_FILES).some(end => name.endsWith(end))
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Of one version of a file. */
interface Content {
  etag: string
  plain: Blob
  /** Made when a client first asks for it. */
  coded: Map<Coding, Promise<Blob>>
}

/** Paths by time of change, so that an edit shows in development. */
const paths = new Map<string, { version: string; content: Promise<Content> }>()
const bundled = new WeakMap<Blob, Promise<Content>>()

/** 200, or 304 if the client has it. */
export async function serveStatic(request: Request, served: StaticFile): Promise<Response> {
  const { type, file, policy, hashed = false } = served
  const { etag, plain, coded } = await contentOf(file)
  const canBeCoded = isCompressible(type) && plain.size >= COMPRESSED_FROM_BYTES
  const coding = canBeCoded ? CODINGS.find(one => accepts(request.headers, one)) : undefined
  const readBody = () =>
    coding
      ? coded.getOrInsertComputed(coding, () =>
          unlessRejected(code(file, plain, coding), () => coded.delete(coding)),
        )
      : plain
  const response = await taggedResponse(request, { etag, coding, readBody, type, policy })
  if (canBeCoded) response.headers.set('Vary', 'Accept-Encoding')
  if (hashed) response.headers.set('Cache-Control', IMMUTABLE)
  return response
}

function contentOf(file: string | Blob): Promise<Content> {
  if (typeof file !== 'string')
    return bundled.getOrInsertComputed(file, () => unlessRejected(describe(file), () => bundled.delete(file)))
  // Files of the executable do not change, and have no time.
  const { mtimeMs, size } = Bun.isStandaloneExecutable ? { mtimeMs: 0, size: 0 } : statSync(file)
  const version = `${mtimeMs} ${size}`
  const known = paths.get(file)
  if (known?.version === version) return known.content
  const content = unlessRejected(describe(Bun.file(file)), () => {
    if (paths.get(file)?.content === content) paths.delete(file)
  })
  paths.set(file, { version, content })
  return content
}

/** For what is kept: a read that failed is tried again by the next request. */
function unlessRejected<T>(read: Promise<T>, forget: () => void): Promise<T> {
  read.catch(forget)
  return read
}

const describe = async (plain: Blob): Promise<Content> => ({
  etag: etagOf(new Uint8Array(await plain.arrayBuffer())),
  plain,
  coded: new Map(),
})

async function code(file: string | Blob, plain: Blob, coding: Coding): Promise<Blob> {
  const built = typeof file === 'string' ? file + CODED_FILES[coding] : ''
  if (existsSync(built)) return Bun.file(built)
  return new Blob([await compress(new Uint8Array(await plain.arrayBuffer()), coding, 'fast')])
}
