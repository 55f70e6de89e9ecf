/**
 * `GET /uploads/HASH.webp`: the files, for everyone, unless no fan who is shown to others and no system of
 * the club has them. They never change, so every cache can store them without a time limit.
 */
import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { Closed } from '../../core/schemas.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { Type } from '../../core/typebox.ts'
import { nameOf, UPLOADED } from '../../core/uploaded-url.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import { isFileShown } from './owned.ts'
import { pictureProblems } from './problems.ts'
import type { PictureStore } from './store.ts'

interface FileDeps {
  db: Database
  pictureStore: PictureStore | null
  log: Logger
}

/** Even if a browser treats a file as a page, it runs no scripts and has an opaque origin. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

const FilePath = Closed({ name: Type.String({ maxLength: 100 }) })

export const pictureFiles = ({ db, pictureStore, log }: FileDeps) =>
  new Elysia({ name: 'matchday/picture-files' }).get(
    '/uploads/:name',
    async ({ path, request }) => {
      const id = UPLOADED.exec(path)?.[1]
      if (id === undefined || !pictureStore || !(await isFileShown(db.read, id)))
        throw new DomainError(transportProblems.not_found)
      const headers = {
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': POLICY,
        // Apps in browsers show it on pages of other origins.
        'Cross-Origin-Resource-Policy': 'cross-origin',
        ETag: `"${id}"`,
      }
      // A client that has the file has the only version of it.
      const known = request.headers.get('if-none-match')
      if (known?.includes(id)) return new Response(null, { status: 304, headers })
      const bytes = await pictureStore.get(nameOf(id)).catch(error => {
        log.error({ error }, 'a picture cannot be read')
        throw new DomainError(pictureProblems.uploads_unavailable, { retryAfter: 5 })
      })
      if (!bytes) throw new DomainError(transportProblems.not_found)
      return new Response(bytes, { headers: { ...headers, 'Content-Type': 'image/webp' } })
    },
    { query: Nothing, params: FilePath, detail: { hide: true } },
  )
