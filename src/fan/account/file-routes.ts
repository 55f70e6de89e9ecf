/** `GET /exports/TOKEN`: the file of a signed link. A browser opens it without a session token. */
import { Elysia } from 'elysia'
import type { Database } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import { Closed } from '../../core/schemas.ts'
import { attachmentHeaders } from '../../core/signed-links.ts'
import { Type } from '../../core/typebox.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import type { ExportLinks } from './export-links.ts'
import { openExport } from './exports.ts'

interface ExportDeps {
  db: Database
  exportLinks: ExportLinks
  exportEncryption: Encryption
}

/** Reads as fast as the client. */
const streamOf = (parts: AsyncGenerator<Uint8Array>) =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await parts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )

const ExportPath = Closed({ token: Type.String({ maxLength: 300 }) })

export const exportFiles = ({ db, exportLinks, exportEncryption }: ExportDeps) =>
  new Elysia({ name: 'matchday/export-files' }).get(
    '/exports/:token',
    async ({ params }) => {
      const { name, content } = await openExport(db, exportEncryption, exportLinks, params.token)
      return new Response(streamOf(content), {
        headers: { ...attachmentHeaders(name), 'Content-Type': 'application/json; charset=utf-8' },
      })
    },
    { query: Nothing, params: ExportPath, detail: { hide: true } },
  )
