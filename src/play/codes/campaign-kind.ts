/** Imports campaigns of codes. What fans have redeemed stays, also when a campaign gives something else from now on. */
import { and, eq, inArray, ne } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import {
  compareEntries,
  completeEntry,
  type EntryChange,
  type EntryFault,
  instantOf,
  refuseEntry,
} from '../../club/catalogue/entry.ts'
import type { IsStated, WrittenBefore } from '../../club/catalogue/kind.ts'
import { columnsIn, statedTexts } from '../../club/catalogue/texts.ts'
import { bumpVersion } from '../../club/catalogue/versions.ts'
import { isAccount } from '../../economy/accounts/account-kind.ts'
import { declareRestrictedKind } from '../eligibility/kind.ts'
import { columnsOfRequires, normalizeRequires, statedRequires } from '../eligibility/requires.ts'
import { isCollectible } from '../packs/give-collectible.ts'
import { findPackWithWeights } from '../packs/packs.ts'
import { isReward } from '../rewards/give-reward.ts'
import { hashOfCode, normalizeCode } from './code.ts'
import { CampaignEntry, givesOf, parseGives } from './entry-schema.ts'

export type CampaignRow = Tables['campaigns']['$inferSelect']

async function readRows(reader: Reader, ids: string[]): Promise<CampaignRow[]> {
  const { campaigns } = reader.tables
  return reader.select().from(campaigns).where(inArray(campaigns.id, ids))
}

function contentOf(entry: CampaignEntry) {
  const { id: _, ...members } = completeEntry(CampaignEntry, entry)
  return {
    ...members,
    gives: givesOf(entry.gives),
    requires: normalizeRequires(entry.requires),
    startsAt: instantOf(entry.startsAt)?.toISOString() ?? null,
    endsAt: instantOf(entry.endsAt)?.toISOString() ?? null,
  }
}

/** The columns of an entry. */
function columnsOf(campaigns: Tables['campaigns'], entry: CampaignEntry) {
  const { gives, requires: _, startsAt, endsAt, ...members } = contentOf(entry)
  return {
    ...columnsIn(campaigns, members),
    ...columnsOfRequires(entry.requires),
    codeHash: hashIn(entry),
    gives: JSON.stringify(gives),
    startsAt: instantOf(startsAt),
    endsAt: instantOf(endsAt),
  }
}

/** Null for a campaign of generated codes. */
export function hashIn({ code }: Pick<CampaignEntry, 'code'>): string | null {
  const normalized = code == null ? null : normalizeCode(code)
  return normalized === null ? null : hashOfCode(normalized)
}

function entryOf(row: CampaignRow): CampaignEntry {
  const { gives, startsAt, endsAt, ...stated } = statedTexts(row)
  return completeEntry(CampaignEntry, {
    ...stated,
    // Guarantee of the cast: the constraint of the column.
    kind: row.kind as CampaignEntry['kind'],
    gives: parseGives(gives),
    requires: statedRequires(row),
    startsAt: startsAt?.toISOString() ?? null,
    endsAt: endsAt?.toISOString() ?? null,
  })
}

function campaignFaults({ kind, code, gives }: CampaignEntry): EntryFault[] {
  const codeFault =
    kind === 'unique'
      ? code != null && 'is only for kind shared: codes of kind unique are generated'
      : hashIn({ code }) === null &&
        (code == null ? 'is required for kind shared' : 'must have at least 4 letters and digits')
  const { points, account, ...others } = givesOf(gives)
  const isEmpty = [points, ...Object.values(others)].every(value => value === null)
  return [
    ...(codeFault ? [{ pointer: '/code', message: codeFault }] : []),
    ...(isEmpty ? [{ pointer: '/gives', message: 'must have at least one of its members' }] : []),
    ...(account !== null && points === null
      ? [{ pointer: '/gives/account', message: 'is only for points: state them, too' }]
      : []),
  ]
}

const isTaken = 'is the code of another campaign'

async function plan(reader: Reader, entry: CampaignEntry): Promise<EntryChange> {
  const [row] = await readRows(reader, [entry.id])
  if (row && row.kind !== entry.kind)
    refuseEntry({ pointer: '/kind', message: `must stay ${row.kind}: codes of the campaign are in use` })
  const codeHash = hashIn(entry)
  if (codeHash !== null && (await isUsedElsewhere(reader, entry.id, codeHash)))
    refuseEntry({ pointer: '/code', message: isTaken })
  return compareEntries(row && contentOf(entryOf(row)), contentOf(entry))
}

async function isUsedElsewhere(reader: Reader, id: string, codeHash: string): Promise<boolean> {
  const { campaigns, campaignCodes } = reader.tables
  const shared = await reader
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(and(eq(campaigns.codeHash, codeHash), ne(campaigns.id, id)))
  const { hash } = campaignCodes
  const generated = await reader.select({ hash }).from(campaignCodes).where(eq(hash, codeHash))
  return shared.length + generated.length > 0
}

async function upsert(tx: Transaction, entry: CampaignEntry): Promise<EntryChange> {
  const { campaigns } = tx.tables
  const planned = await plan(tx, entry)
  if (planned.outcome === 'unchanged') return planned
  // One import at a time compares codes, and writes.
  await bumpVersion(tx)
  const change = await plan(tx, entry)
  const set = { ...columnsOf(tx.tables.campaigns, entry), updatedAt: tx.now() }
  await tx
    .insert(campaigns)
    .values({ ...set, id: entry.id, redeemed: 0, createdAt: tx.now() })
    .onConflictDoUpdate({ target: campaigns.id, set })
  return change
}

async function findUnknown(
  reader: Reader,
  { gives }: CampaignEntry,
  { isWritten, isStated }: { isWritten: WrittenBefore; isStated: IsStated },
): Promise<EntryFault[]> {
  const { account, rewardId, packId, collectibleId } = givesOf(gives)
  const isKnown = {
    account: account === null || isStated('accounts', account) || (await isAccount(reader, account)),
    rewardId: rewardId === null || isWritten('rewards', rewardId) || (await isReward(reader, rewardId)),
    packId:
      packId === null ||
      isWritten('packs', packId) ||
      (await findPackWithWeights(reader, packId)) !== undefined,
    collectibleId:
      collectibleId === null ||
      isWritten('collectibles', collectibleId) ||
      (await isCollectible(reader, collectibleId)),
  }
  return Object.entries(isKnown).flatMap(([name, known]) =>
    known ? [] : [{ pointer: `/gives/${name}`, message: 'must be stored, or stated before this campaign' }],
  )
}

export const campaignKind = declareRestrictedKind({
  kind: 'campaign',
  list: 'campaigns',
  about: 'Codes that fans enter for points, a reward, a pack or a collectible.',
  schema: CampaignEntry,
  givesValue: true,
  fixed: ['kind'],
  table: ({ campaigns }) => campaigns,
  requiresOf: ({ requires }) => requires,
  faults: campaignFaults,
  clashesOf(entries) {
    const shared = entries.filter(entry => hashIn(entry) !== null)
    const first = new Map(shared.toReversed().map(entry => [hashIn(entry), entry]))
    return shared
      .filter(entry => first.get(hashIn(entry)) !== entry)
      .map(entry => ({ entry, pointer: '/code', message: isTaken }))
  },
  references: findUnknown,
  plan,
  upsert,
  read: async (reader, ids) => (await readRows(reader, ids)).map(entryOf),
})
