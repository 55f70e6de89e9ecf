/** The accounts of a fan: totals by season, tier, and each entry with what it was booked for. */
import type { Reader } from '../../../db/index.ts'
import { presentText } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { getAccountSet, seasonAt } from '../../economy/accounts/account-set.ts'
import { type FanTier, readFanTiers } from '../../economy/accounts/fan-tiers.ts'
import { readAccountEntries, readSeasonTotals } from '../../economy/accounts/history.ts'
import { accountProblems } from '../../economy/accounts/problems.ts'
import { tierNamed } from '../../economy/accounts/tiers.ts'
import { grantReasonOf } from '../../economy/ledgers/reasons.ts'
import { ruleKind } from '../../economy/rules/rule-kind.ts'
import { questKind } from '../../play/quests/quest-kind.ts'

export async function listAccounts(reader: Reader, { userId }: Viewer) {
  const set = await getAccountSet(reader)
  const tiers = await readFanTiers(reader, userId, set)
  const seasons = await readSeasonTotals(reader, set, userId)
  return {
    accounts: tiers.map(tier => ({ ...presentTier(tier), seasons: seasons.get(tier.account.id) ?? [] })),
  }
}

function presentTier({ account, total, held }: FanTier) {
  const tier = tierNamed(account, held.tierId)
  const next = account.tiers.find(({ from }) => from > total)
  return {
    id: account.id,
    name: presentText(account.name),
    unit: presentText(account.unit),
    total,
    tier: tier
      ? {
          id: tier.id,
          name: presentText(tier.name),
          benefits: tier.benefits.map(presentText),
          since: held.tierSince?.toISOString() ?? null,
          until: held.tierUntil?.toISOString() ?? null,
        }
      : null,
    next: next ? { tier: { id: next.id, name: presentText(next.name) }, missing: next.from - total } : null,
  }
}

/** Only of a public account. */
export async function requirePublicAccount(reader: Reader, id: string): Promise<void> {
  const account = (await getAccountSet(reader)).accounts.get(id)
  if (!account?.active || !account.public) throw new DomainError(accountProblems.account_not_found)
}

/** A page of the caller's entries, newest first. */
export async function listAccountEntries(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  { id, limit, cursor }: Page & { id: string },
) {
  const set = await getAccountSet(reader)
  if (!set.accounts.get(id)?.active) throw new DomainError(accountProblems.account_not_found)
  const list = JSON.stringify(['account', userId, id])
  const before = cursors.decode(list, cursor)
  const rows = await readAccountEntries(reader, { userId, accountId: id }, { before, limit: limit + 1 })
  const { shown, nextCursor } = cutPage(rows, limit, last => cursors.encode(list, last.seq))
  const causes = shown.map(({ reason, ref }) => causeOf(reason, ref))
  const idsOf = (kind: string) => [
    ...new Set(causes.flatMap(cause => (cause.kind === kind && cause.id) || [])),
  ]
  const rules = new Map((await ruleKind.read(reader, idsOf('rule'))).map(({ id, name }) => [id, name]))
  const quests = new Map((await questKind.read(reader, idsOf('quest'))).map(({ id, title }) => [id, title]))
  return {
    entries: shown.map((entry, index) => {
      const { userId: _, accountId: _a, countedAt, createdAt, ...rest } = entry
      const cause = causes[index] ?? causeOf(entry.reason, entry.ref)
      const name = (cause.kind === 'rule' ? rules : quests).get(cause.id ?? '')
      return {
        ...rest,
        seasonId: seasonAt(set, countedAt)?.id ?? null,
        countedAt: countedAt.toISOString(),
        createdAt: createdAt.toISOString(),
        explanation: { ...cause, name: name === undefined ? null : presentText(name) },
      }
    }),
    nextCursor,
  }
}

/** The refs of rules and quests begin with their id. */
function causeOf(reason: string, ref: string) {
  const granted = grantReasonOf(reason)
  const kind = granted ?? reason
  const [id = ''] = ref.split(':')
  return { kind, id: kind === 'rule' || kind === 'quest' ? id : null, takesBack: granted !== undefined }
}
