/** What rows of the audit log and approvals are about, as staff know it. The rows themselves have ids alone. */
import type { Reader } from '../../../../db/index.ts'
import { readPublicProfiles } from '../../../identity/users/public-profile.ts'
import type { Subject } from './record.ts'

/** Returns a function that adds the names that fans have now. */
export async function readSubjectNames(reader: Reader, subjects: Subject[]) {
  const fans = subjects.flatMap(({ kind, id }) => (kind === 'fan' ? [id] : []))
  const profiles = await readPublicProfiles(reader, [...new Set(fans)])
  return ({ kind, id }: Subject) => {
    const name = kind === 'fan' ? (profiles.get(id)?.displayName ?? null) : null
    return { kind, id, name }
  }
}
