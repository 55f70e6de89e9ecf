/** `GET /downloads/TOKEN`: the file of a signed link. A browser opens it without a session token. */
import { Elysia } from 'elysia'
import type { Database } from '../../../db/index.ts'
import { Closed } from '../../core/schemas.ts'
import { attachmentHeaders } from '../../core/signed-links.ts'
import type { AppSources } from '../../core/sources.ts'
import { Type } from '../../core/typebox.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import { type Downloads, openDownload } from './downloads.ts'

interface DownloadDeps {
  db: Database
  downloads: Downloads
  now: AppSources['now']
}

const DownloadPath = Closed({ token: Type.String({ maxLength: 300 }) })

export const downloadFiles = ({ db, downloads, now }: DownloadDeps) =>
  new Elysia({ name: 'matchday/download-files' }).get(
    '/downloads/:token',
    async ({ params }) => {
      const { name, file } = await openDownload(db.read, downloads, params.token, now())
      return new Response(file, { headers: attachmentHeaders(name) })
    },
    { query: Nothing, params: DownloadPath, detail: { hide: true } },
  )
