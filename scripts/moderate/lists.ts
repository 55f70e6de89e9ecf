/** `bun run moderate queue | appeals`: what is open. */
import { inArray } from 'drizzle-orm'
import type { Database } from '../../db/index.ts'
import { listCases } from '../../src/fan/moderation/cases.ts'
import { listOpenAppeals } from '../../src/identity/sanctions/appeals.ts'
import type { CommandResult } from '../command/command.ts'
import { describe, describeAppeal, present, presentAppeal } from './show-fan.ts'

const MAX_LISTED = 100

export async function listQueue(db: Database): Promise<CommandResult> {
  const rows = await listCases(db.read, MAX_LISTED)
  const { users } = db.tables
  const handles = await db.read
    .select({ id: users.id, handle: users.handle })
    .from(users)
    .where(
      inArray(
        users.id,
        rows.map(({ fanId }) => fanId),
      ),
    )
  const handleOf = new Map(handles.map(({ id, handle }) => [id, handle]))
  const cases = rows.map(({ since, ...row }) => ({
    ...row,
    handle: handleOf.get(row.fanId) ?? null,
    since: since.toISOString(),
  }))
  const lines = cases.map(
    ({ caseId, subjectKind, fanId, handle, reports, reporters, since }) =>
      `${caseId}  ${subjectKind} ${handle ?? fanId}  reports: ${reports}, of fans: ${reporters}  since ${since}`,
  )
  return { json: { cases }, text: lines.length > 0 ? lines.join('\n') : 'No case is open.' }
}

export async function listAllAppeals(db: Database): Promise<CommandResult> {
  const rows = await listOpenAppeals(db.read, MAX_LISTED)
  const appeals = rows.map(({ appeal, sanction }) => ({
    ...presentAppeal(appeal),
    sanction: present(sanction),
  }))
  const lines = rows.map(
    ({ appeal, sanction }) => `${describeAppeal(appeal)}\n  against ${describe(present(sanction))}`,
  )
  return { json: { appeals }, text: lines.length > 0 ? lines.join('\n') : 'No appeal is open.' }
}
