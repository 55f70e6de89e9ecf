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
import { UPLOADED } from '../../core/uploaded-url.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import { isFileShown } from './owned.ts'
import { respondWithFile } from './read-file.ts'
import type { PictureStore } from './store.ts'

interface FileDeps {
  db: Database
  pictureStore: PictureStore | null
  log: Logger
}

const FilePath = Closed({ name: Type.String({ maxLength: 100 }) })

export const pictureFiles = (deps: FileDeps) =>
  new Elysia({ name: 'matchday/picture-files' }).get(
    '/uploads/:name',
    async ({ path, request }) => {
      const id = UPLOADED.exec(path)?.[1]
      if (id === undefined || !(await isFileShown(deps.db.read, id)))
        throw new DomainError(transportProblems.not_found)
      // Apps in browsers show it on pages of other origins.
      return respondWithFile(deps, id, request, { cache: 'public', sharedWith: 'cross-origin' })
    },
    { query: Nothing, params: FilePath, detail: { hide: true } },
  )
