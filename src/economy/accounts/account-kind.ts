/** Accounts of the club, such as points of status: kept and never spent, in seasons, with tiers. */
import { and, eq, gt } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { EntryFault } from '../../club/catalogue/entry.ts'
import { Active, EntrySlug, Maybe } from '../../club/catalogue/entry-schema.ts'
import { declarePlainKind } from '../../club/catalogue/plain-kind.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { bumpVersion } from '../../club/catalogue/versions.ts'
import { Closed, Integer } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

const MAX_TOTAL = 1_000_000_000_000

const Tier = Closed(
  {
    id: EntrySlug('Slug of the tier, unique within the account.'),
    name: Text(100, 'What fans see.'),
    from: Integer({ minimum: 1, maximum: MAX_TOTAL, description: 'The total from which a fan has it.' }),
    benefits: Type.Optional(
      Type.Array(Text(200, 'One benefit.'), { maxItems: 20, default: [], description: 'To read.' }),
    ),
    graceDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 366,
        default: 0,
        description: 'Days for which a fan keeps it after a season with a total that is too low.',
      }),
    ),
  },
  { title: 'Tier' },
)

export const AccountEntry = Closed(
  {
    id: EntrySlug('Slug of the account.'),
    name: Text(100, 'What fans see.'),
    unit: Type.Optional({ ...Text(40, 'What is counted, such as points.'), default: 'points' }),
    window: Maybe(
      Closed(
        {
          seasons: Integer({
            minimum: 1,
            maximum: 50,
            description: 'How many seasons count, including the current one.',
          }),
        },
        { description: 'Which entries the total counts. Null: all.' },
      ),
    ),
    public: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether anyone can read how many fans have how many.' }),
    ),
    tiers: Type.Optional(
      Type.Array(Tier, { maxItems: 20, default: [], description: 'Levels that fans reach by their total.' }),
    ),
    active: Active,
  },
  { title: 'Account' },
)
export type AccountEntry = Static<typeof AccountEntry>

/** What active entries name stays: a reward of a tier that is gone is for nobody, and a rule pays into an account that nobody sees. */
async function useFaults(
  reader: Reader,
  { id, tiers = [], active = true }: AccountEntry,
): Promise<EntryFault[]> {
  const [stored] = await accountKind.read(reader, [id])
  if (!stored?.active) return []
  const kept = new Set(active ? tiers.map(tier => tier.id) : [])
  const removed = (stored.tiers ?? []).map(tier => tier.id).filter(tier => !kept.has(tier))
  if (active && removed.length === 0) return []
  const uses = await reader.spine.accounts.listUses(reader, id)
  const named = (of: { kind: string; id: string }[]) =>
    of.map(({ kind, id: entry }) => `${kind} ${entry}`).join(', ')
  if (!active)
    return uses.length === 0
      ? []
      : [{ pointer: '/active', message: `must stay true: named by ${named(uses)}` }]
  return removed.flatMap(tier => {
    const asking = uses.filter(use => use.tiers.includes(tier))
    return asking.length === 0
      ? []
      : [{ pointer: '/tiers', message: `must have ${tier}: named by ${named(asking)}` }]
  })
}

export const accountKind = declarePlainKind({
  kind: 'account',
  list: 'accounts',
  about: 'Points that fans keep and never spend, such as those for status, with tiers.',
  schema: AccountEntry,
  // A tier gives what requires it.
  givesValue: true,
  table: ({ accounts }) => accounts,
  faults: ({ tiers = [] }) =>
    tiers.flatMap(({ id, from }, index) => [
      ...(tiers.findIndex(other => other.id === id) < index
        ? [{ pointer: `/tiers/${index}/id`, message: 'is the id of another tier' }]
        : []),
      ...(tiers.findIndex(other => other.from === from) < index
        ? [{ pointer: `/tiers/${index}/from`, message: 'is that of another tier' }]
        : []),
    ]),
  conflicts: useFaults,
  lock: bumpVersion,
})

export const isAccount = async (reader: Reader, id: string): Promise<boolean> =>
  (await selectAccount(reader, id)) !== undefined

/** The ids of its tiers. Undefined for an unknown account. */
export async function readAccountTiers(reader: Reader, id: string): Promise<string[] | undefined> {
  const [entry] = await accountKind.read(reader, [id])
  return entry && (entry.tiers ?? []).map(tier => tier.id)
}

const selectAccount = preparedRow((reader: Reader, id: string) => {
  const { accounts } = reader.tables
  return reader.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id))
})

/** Whether the catalogue has changed it since then. */
export async function isAccountChanged(reader: Reader, id: string, since: Date): Promise<boolean> {
  const { accounts } = reader.tables
  const found = await reader
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, id), gt(accounts.updatedAt, since)))
  return found.length > 0
}
