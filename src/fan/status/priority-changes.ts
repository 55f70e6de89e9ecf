/** What has happened since the time of a list, so that a ticket office can tell why two lists differ. */
import type { Reader } from '../../../db/index.ts'
import { isSeasonChanged } from '../../club/seasons/season-kind.ts'
import { isAccountChanged } from '../../economy/accounts/account-kind.ts'
import { countLateEntries, hadEntries, type Since } from '../../economy/accounts/changes.ts'
import { countLostFans } from '../../identity/users/merges.ts'
import { countChangedMemberships } from '../../play/memberships/memberships.ts'
import type { Changes } from './priority-schema.ts'

export async function readChanges(reader: Reader, since: Since): Promise<typeof Changes.static> {
  const { accountId, asOf } = since
  const entries = await countLateEntries(reader, since)
  const fans = await countLostFans(reader, asOf, userId => hadEntries(reader, userId, since))
  return {
    ...entries,
    ...fans,
    memberships: await countChangedMemberships(reader, asOf),
    // They decide which entries count.
    catalogue: (await isAccountChanged(reader, accountId, asOf)) || (await isSeasonChanged(reader, asOf)),
  }
}
