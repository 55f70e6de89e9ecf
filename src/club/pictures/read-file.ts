/** Reads an uploaded picture from the store, for the routes that serve it. */
import type { Logger } from 'pino'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { nameOf } from '../../core/uploaded-url.ts'
import { pictureProblems } from './problems.ts'
import type { PictureStore } from './store.ts'

interface StoreDeps {
  pictureStore: PictureStore | null
  log: Logger
}

/** Even if a browser treats a file as a page, it runs no scripts and has an opaque origin. */
export const pictureHeaders = (sharedWith: 'cross-origin' | 'same-origin') => ({
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': sharedWith,
})

/**
 * The file of an id, or 304 if the client has it. It never changes, so that caches keep it without a time limit.
 * @throws DomainError `not_found`, `uploads_unavailable`
 */
export async function respondWithFile(
  { pictureStore, log }: StoreDeps,
  id: string,
  request: Request,
  { cache, sharedWith }: { cache: 'public' | 'private'; sharedWith: 'cross-origin' | 'same-origin' },
): Promise<Response> {
  const headers = {
    'Cache-Control': `${cache}, max-age=31536000, immutable`,
    ...pictureHeaders(sharedWith),
    ETag: `"${id}"`,
  }
  // A client that has the file has the only version of it.
  if (request.headers.get('if-none-match')?.includes(id)) return new Response(null, { status: 304, headers })
  const bytes = await pictureStore?.get(nameOf(id)).catch(error => {
    log.error({ error }, 'a picture cannot be read')
    throw new DomainError(pictureProblems.uploads_unavailable, { retryAfter: 5 })
  })
  if (!bytes) throw new DomainError(transportProblems.not_found)
  return new Response(bytes, { headers: { ...headers, 'Content-Type': 'image/webp' } })
}
