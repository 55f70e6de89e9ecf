/** Open cases and appeals, as moderators see them. */
import type { Reader } from '../../../db/index.ts'
import type { TimedPosition } from '../../core/pagination.ts'
import { countOpenAppeals, listOpenAppeals } from '../../identity/sanctions/appeals.ts'
import { readHandles } from '../../identity/users/handles.ts'
import { type CaseList, countOpenCases, countOpenReports, listCases } from './cases.ts'
import { presentAppeal, presentDecision } from './fan-record.ts'
import { countOpenNotices } from './notices.ts'

const MAX_LISTED = 100

/** `oldest`: when the oldest open report was filed. */
export async function countOpen(reader: Reader) {
  const { open, since } = await countOpenReports(reader)
  return {
    cases: await countOpenCases(reader),
    reports: open,
    oldest: since?.toISOString() ?? null,
    appeals: await countOpenAppeals(reader),
    notices: (await countOpenNotices(reader)).open,
  }
}

/** By default, the heaviest cases first. */
export async function readQueue(reader: Reader, list: CaseList = { limit: MAX_LISTED }) {
  const rows = await listCases(reader, list)
  const handles = await readHandles(
    reader,
    rows.map(({ fanId }) => fanId),
  )
  return rows.map(({ since, ...row }) => ({
    ...row,
    handle: handles.get(row.fanId) ?? null,
    since: since.toISOString(),
  }))
}

/** The oldest first. */
export async function readOpenAppeals(reader: Reader, limit = MAX_LISTED, after?: TimedPosition) {
  const rows = await listOpenAppeals(reader, limit, after)
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
