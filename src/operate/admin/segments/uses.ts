/** Where segments and accounts are used. */
import type { Reader } from '../../../../db/index.ts'
import type { SegmentUse } from '../../../club/segments/spine.ts'
import type { AccountUse } from '../../../economy/accounts/spine.ts'
import { kindNamed, kindNames } from '../../../play/catalogue-file/kinds.ts'

const TOGETHER = 200

/** The members of any entry that can name a segment. */
interface Naming {
  id: string
  fan?: string | null
  requires?: { segment?: string } | unknown[] | null
}

/** Active entries that name the segment, in the order of their kinds. */
export async function listUses(reader: Reader, segmentId: string): Promise<SegmentUse[]> {
  const uses: SegmentUse[] = []
  for await (const { kind, entry } of activeEntries(reader, ['fan', 'requires'])) {
    // Guarantee of the cast: the kinds have these members.
    const { id, fan, requires } = entry as Naming
    if (fan === segmentId) uses.push({ kind, id, pointer: '/fan' })
    if (requires && !Array.isArray(requires) && requires.segment === segmentId)
      uses.push({ kind, id, pointer: '/requires/segment' })
  }
  return uses
}

/** Active entries that name the account, in the order of their kinds: in `account`, or in a condition of a segment. */
export async function listAccountUses(reader: Reader, accountId: string): Promise<AccountUse[]> {
  const uses: AccountUse[] = []
  for await (const { kind, entry } of activeEntries(reader, ['account', 'requires', 'reward', 'when'])) {
    const tiers = tiersIn(entry, accountId)
    if (tiers) uses.push({ kind, id: entry.id, tiers })
  }
  return uses
}

/** The tiers of the account that are named at any depth. Null if the account is not named. */
function tiersIn(value: unknown, accountId: string): string[] | null {
  if (typeof value !== 'object' || value === null) return null
  const { account, atLeast, fact, value: asked }: Record<string, unknown> = { ...value }
  const named = account === accountId ? [atLeast] : fact === `tier.${accountId}` ? [asked].flat() : null
  const within = Object.values(value).map(inner => tiersIn(inner, accountId))
  const found = [named?.filter(tier => typeof tier === 'string') ?? null, ...within]
  return found.every(tiers => tiers === null) ? null : found.flatMap(tiers => tiers ?? [])
}

/** Of kinds with one of these members; by kind, then by id. */
async function* activeEntries(reader: Reader, members: string[]) {
  for (const kind of kindNames) {
    const { schema, listActive, read } = kindNamed(kind)
    if (!members.some(member => member in schema.properties)) continue
    const ids = (await listActive(reader)).toSorted()
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const entries: { id: string }[] = await read(reader, ids.slice(from, from + TOGETHER))
      for (const entry of entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))) yield { kind, entry }
    }
  }
}
