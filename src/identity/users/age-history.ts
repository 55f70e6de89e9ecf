/** Each change of what is known of the age of a fan, and of the consent of a guardian: the proof that the club can show. */
import { asc, desc, eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { User } from './users.ts'

export type Age = Pick<User, 'ageBand' | 'ageSource' | 'ageAssuredAt' | 'guardianConsent'>
type AgeChange = Tables['ageChanges']['$inferSelect']

interface Change {
  before: Age | undefined
  after: Age | undefined
  /** Who stated it. */
  statedBy: string
}

/** The record is locked. What changes nothing is no row. */
export async function noteAgeChange(tx: Transaction, userId: string, { before, after, statedBy }: Change) {
  const [known, state] = [stateOf(before), stateOf(after)]
  if (!state || (known && isSame(known, state))) return
  const last = await findLast(tx, userId)
  const row = { userId, statedBy, changedAt: tx.now(), ...state }
  const seq = last ? last.seq + 1 : 1
  const { ageChanges } = tx.tables
  // Versions before this table kept only what was known last.
  const first =
    !last && known ? { userId, statedBy: known.source, changedAt: known.assuredAt, ...known } : null
  await tx.insert(ageChanges).values(
    first
      ? [
          { ...first, seq },
          { ...row, seq: seq + 1 },
        ]
      : [{ ...row, seq }],
  )
}

type State = Pick<AgeChange, 'ageBand' | 'assuredAt' | 'guardianConsent'> & { source: string }

/** Null: nobody has stated anything. */
function stateOf(age: Age | undefined): State | null {
  if (!age || age.ageSource === null || age.ageAssuredAt === null) return null
  const { ageBand, ageSource: source, ageAssuredAt: assuredAt, guardianConsent } = age
  return { ageBand, source, assuredAt, guardianConsent }
}

const isSame = (a: State, b: State) =>
  a.ageBand === b.ageBand &&
  a.source === b.source &&
  a.assuredAt.getTime() === b.assuredAt.getTime() &&
  a.guardianConsent === b.guardianConsent

const findLast = preparedRow((reader: Reader, userId: string) => {
  const { ageChanges } = reader.tables
  return reader
    .select({ seq: ageChanges.seq })
    .from(ageChanges)
    .where(eq(ageChanges.userId, userId))
    .orderBy(desc(ageChanges.seq))
    .limit(1)
})

/** Systems write both as text, and could have named the fan. */
export async function clearSourcesOf(tx: Transaction, userId: string): Promise<void> {
  const { ageChanges } = tx.tables
  await tx.update(ageChanges).set({ source: null, statedBy: null }).where(eq(ageChanges.userId, userId))
}

/** Every row, the oldest first. */
export const exportAgeChanges = (reader: Reader, userId: string) => {
  const { userId: owner, ...columns } = reader.tables.ageChanges
  const { seq, ageBand, source, assuredAt, guardianConsent, statedBy, changedAt } = columns
  return reader
    .select({ seq, ageBand, source, assuredAt, guardianConsent, statedBy, changedAt })
    .from(reader.tables.ageChanges)
    .where(eq(owner, userId))
    .orderBy(asc(seq))
}
