/** The audit log. */
import type { Cursors } from '../../../core/pagination.ts'
import { exportAudit, MEDIA_TYPES } from '../../../identity/staff/audit/export.ts'
import {
  AuditExport,
  AuditFile,
  AuditPage,
  AuditQuery,
  AuditState,
} from '../../../identity/staff/audit/schema.ts'
import { verifyAudit } from '../../../identity/staff/audit/verify.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { textFile } from '../contract/text-file.ts'
import { thrownBy } from './problems.generated.ts'
import { readAudit } from './read.ts'

type AuditDeps = StaffDeps & { cursors: Cursors }

export const auditRoutes = (deps: AuditDeps) =>
  staff(deps, { prefix: '/api/audit', tag: 'Audit' })
    .get(
      '',
      ({ query }) => readAudit(deps.db.read, deps.cursors, query),
      consoleOperation({
        id: 'listAudit',
        summary: 'List the actions of staff, newest first',
        permission: 'audit.read',
        query: AuditQuery,
        responses: { 200: AuditPage },
        problems: thrownBy.listAudit,
      }),
    )
    .get(
      '/export',
      async ({ act, query }) => {
        const { format = 'ndjson', ...filter } = query
        // Records the export before it runs, so that the file contains it.
        await act({ kind: 'audit', id: format }, undefined, async () => {}, { detail: filter })
        const file = { name: `matchday-audit.${format}`, type: MEDIA_TYPES[format] }
        return textFile(file, exportAudit(deps.db.read, filter, format))
      },
      consoleOperation({
        id: 'exportAudit',
        summary: 'Download the audit log, oldest first',
        permission: 'audit.read',
        query: AuditExport,
        responses: { 200: AuditFile },
      }),
    )
    .get(
      '/verification',
      async () => {
        const { rows, head, findings } = await verifyAudit(deps.db.read)
        return { rows, head, intact: findings.length === 0, findings }
      },
      consoleOperation({
        id: 'verifyAudit',
        summary: 'Recompute the hash chain of the audit log',
        permission: 'audit.read',
        responses: { 200: AuditState },
      }),
    )
