/** What staff read about an entry beyond its form: the report of a campaign of codes, and the fans of a segment as CSV. */
import type { Reader } from '../../../../db/index.ts'
import { catalogueProblems } from '../../../club/catalogue/problems.ts'
import { findSegment, parseWhen } from '../../../club/segments/segment-kind.ts'
import { DomainError } from '../../../core/problems.ts'
import { countByFan, findCampaign, reportCampaign } from '../../../play/codes/generate.ts'
import { segmentCsv } from '../../admin/segments/segments.ts'

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
export async function openSegmentCsv(reader: Reader, id: string): Promise<AsyncGenerator<string>> {
  const segment = await findSegment(reader, id)
  if (!segment) throw new DomainError(catalogueProblems.entry_not_found)
  return segmentCsv(reader, parseWhen(segment.definition))
}
