/** Who would be in a segment by a draft, and where the stored one is used. */
import type { Reader } from '../../../../db/index.ts'
import { parseRecord } from '../../../play/catalogue-file/check-record.ts'
import { countMembers, readSample } from '../../admin/segments/count-members.ts'
import { listUses } from '../../admin/segments/uses.ts'
import { withinEntry } from './change-entry.ts'

/** @throws DomainError `validation_failed` */
export async function previewSegment(read: Reader, draft: unknown, seesFans: boolean) {
  const record = withinEntry(() => parseRecord('segment', draft))
  if (record.kind !== 'segment') throw new Error('a segment is of another kind')
  const { id, when = [] } = record.entry
  return {
    fans: await countMembers(read, when),
    sample: seesFans ? await readSample(read, when) : null,
    uses: await listUses(read, id),
  }
}
