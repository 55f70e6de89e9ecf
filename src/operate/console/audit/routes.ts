/** The audit log. */
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { readAudit } from './read.ts'
import { AuditPage, AuditQuery } from './schema.ts'

export const auditRoutes = (deps: ConsoleDeps) =>
  staff(deps, { prefix: '/api/audit', tag: 'Audit' }).get(
    '',
    ({ query }) => readAudit(deps.db.read, deps.cursors, query),
    consoleOperation({
      id: 'listAudit',
      summary: 'List what staff did, the newest first',
      permission: 'audit.read',
      query: AuditQuery,
      responses: { 200: AuditPage },
    }),
  )
