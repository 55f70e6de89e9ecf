/** Profiles that violate the current rules: fields that a rule can normalize are repaired, others are reported. */
import { and, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { checkStoredField } from '../../fan/profile/rules.ts'
import { lockToChange } from '../../identity/users/locks.ts'
import {
  PROFILE_FIELDS,
  type ProfileFieldName,
  type ProfileValue,
} from '../../identity/users/profile-fields.ts'
import { nameKeyChange } from '../../identity/users/search-keys.ts'
import { eachUser } from '../../identity/users/users.ts'
import { fanTag } from '../../platform/cache/tags.ts'

export interface BrokenField {
  userId: string
  field: ProfileFieldName
  before: ProfileValue
  /** The normalized value; null if no rule can derive it. */
  after: ProfileValue | null
  /** What the rule requires. */
  expected: string
}

export type RepairableField = BrokenField & { after: ProfileValue }

/** Every field that is not in the normal form of the current rules, ordered by the fan's id. */
export async function* listBrokenFields(reader: Reader): AsyncGenerator<BrokenField> {
  for await (const user of eachUser(reader)) {
    for (const field of PROFILE_FIELDS) {
      const before = user[field]
      if (before === null) continue
      const { kept, expected } = checkStoredField(field, before)
      if (kept !== before) yield { userId: user.id, field, before, after: kept, expected }
    }
  }
}

/** `changed`: the fan changed the field after it was listed. `taken`: another fan has the handle. */
export type FieldRepair = 'repaired' | 'changed' | 'taken'

export async function repairField(
  tx: Transaction,
  { userId, field, before, after }: RepairableField,
): Promise<FieldRepair> {
  const { users } = tx.tables
  const column = users[field]
  await lockToChange(tx, userId)
  const free = sql`not exists (select 1 from ${users} other where other.handle = ${after})`
  const [repaired] = await tx
    .update(users)
    .set({ [field]: after, ...nameKeyChange({ [field]: after }), updatedAt: tx.now() })
    .where(and(eq(users.id, userId), eq(column, before), field === 'handle' ? free : undefined))
    .returning()
  if (repaired) {
    tx.invalidate(fanTag(userId))
    return 'repaired'
  }
  const [still] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), eq(column, before)))
  return still ? 'taken' : 'changed'
}
