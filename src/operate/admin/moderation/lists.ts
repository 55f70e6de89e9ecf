/** What is open: cases and appeals, as moderators see them. */
import type { Reader } from '../../../../db/index.ts'
import { countOpenReports, listCases } from '../../../fan/moderation/cases.ts'
import { listOpenAppeals } from '../../../identity/sanctions/appeals.ts'
import { presentAppeal, presentDecision } from './fan-record.ts'
import { readHandles } from './find-fan.ts'

const MAX_LISTED = 100

/** The heaviest first. `oldest`: when the oldest open report was filed. */
export async function readQueue(reader: Reader) {
  const rows = await listCases(reader, MAX_LISTED)
  const { open, since: oldest } = await countOpenReports(reader)
  const handles = await readHandles(
    reader,
    rows.map(({ fanId }) => fanId),
  )
  const cases = rows.map(({ since, ...row }) => ({
    ...row,
    handle: handles.get(row.fanId) ?? null,
    since: since.toISOString(),
  }))
  return { cases, openReports: open, oldest: oldest?.toISOString() ?? null }
}

/** The oldest first. */
export async function readOpenAppeals(reader: Reader) {
  const rows = await listOpenAppeals(reader, MAX_LISTED)
  const handles = await readHandles(
    reader,
    rows.map(({ appeal }) => appeal.fanId),
  )
  return rows.map(({ appeal, sanction }) => ({
    ...presentAppeal(appeal),
    handle: handles.get(appeal.fanId) ?? null,
    sanction: presentDecision(sanction),
  }))
}
