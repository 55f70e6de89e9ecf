/** Names for the subjects of the audit log and of approvals, whose rows contain only ids. */
import type { Reader } from '../../../../db/index.ts'
import { readPublicProfiles } from '../../users/public-profile.ts'
import type { Subject } from './record.ts'

/** Returns a function that adds the current names of fans. */
export async function readSubjectNames(reader: Reader, subjects: Subject[]) {
  const fans = subjects.flatMap(({ kind, id }) => (kind === 'fan' ? [id] : []))
  const profiles = await readPublicProfiles(reader, [...new Set(fans)])
  return ({ kind, id }: Subject) => {
    const name = kind === 'fan' ? (profiles.get(id)?.displayName ?? null) : null
    return { kind, id, name }
  }
}
