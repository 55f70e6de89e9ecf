/** What staff read about an entry beyond its form: the report of a campaign of codes, and the fans of a segment as CSV. */
import type { Reader } from '../../../../db/index.ts'
import { catalogueProblems } from '../../../club/catalogue/problems.ts'
import { findSegment, parseWhen } from '../../../club/segments/segment-kind.ts'
import { csvLine } from '../../../core/csv.ts'
import { DomainError } from '../../../core/problems.ts'
import { countByFan, findCampaign, reportCampaign } from '../../../play/codes/generate.ts'
import { listMembers } from '../../admin/segments/segments.ts'

const PAGE = 1_000

/** Redemptions by day and by fan, and what is left. It names no fan. */
export async function readCampaign(reader: Reader, id: string) {
  const campaign = await findCampaign(reader, id)
  if (!campaign) throw new DomainError(catalogueProblems.entry_not_found)
  const { redeemed, total } = campaign
  const times = await countByFan(reader, id)
  return {
    redeemed,
    total,
    left: total === null ? null : Math.max(total - redeemed, 0),
    fans: times.reduce((sum, { fans }) => sum + fans, 0),
    times,
    ...(await reportCampaign(reader, id)),
  }
}

/** The fans who meet the conditions of the stored segment now, also of one that is off. */
export async function segmentCsv(reader: Reader, id: string) {
  const segment = await findSegment(reader, id)
  if (!segment) throw new DomainError(catalogueProblems.entry_not_found)
  const when = parseWhen(segment.definition)
  let [csv, lines] = [csvLine(['userId', 'provider', 'subject', 'handle']), 0]
  for (let after = ''; ; ) {
    const fans = await listMembers(reader, when, { after, size: PAGE })
    for (const { userId, provider, subject, handle } of fans)
      csv += csvLine([userId, provider, subject, handle])
    lines += fans.length
    after = fans.at(-1)?.userId ?? ''
    if (fans.length < PAGE) return { csv, lines }
  }
}
