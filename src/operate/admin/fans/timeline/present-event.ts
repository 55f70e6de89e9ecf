/** An event of the timeline in words, with what its rules decided. */
import type { Tables } from '../../../../../db/index.ts'
import { dataOf, decisionsOf, parseJson } from '../../../../economy/events/event.ts'
import { APPLICATION } from '../../../../economy/events/types.ts'
import type { TakenGrant } from '../../../../economy/rules/apply-rules.ts'
import type { Decision } from '../../../../economy/rules/decision.ts'
import { type Context, describeType } from './event-words.ts'
import { fact, idFact, plural, type Shown, timeFact } from './item.ts'
import { kindOfEvent, typeInWords } from './kinds.ts'
import { isolate, type Names, partId, type WantedNames } from './names.ts'
import type { Related } from './related.ts'

type EventRow = Tables['events']['$inferSelect']

/** The names that `presentEvent` asks for. */
export function wantOfEvent(row: EventRow, related: Related, names: WantedNames): void {
  names.want('rule', ...decisionsOf(row).map(({ ruleId }) => ruleId))
  if (row.source !== APPLICATION) return
  const { rewardId, packId, items, setId, questId, homeTeamId, awayTeamId, productId, campaignId, matchId } =
    dataOf(row)
  const { accountId, tierId, toTierId, segmentId, leagueId, divisionId, levelId, toLevelId } = dataOf(row)
  const { kindId, questionId, sanctionId, orderId, lines, tradeId } = dataOf(row)
  names.want('reward', rewardId)
  names.want('pack', packId)
  names.want('set', setId)
  names.want('campaign', campaignId)
  names.want('quest', questId)
  names.want('match', matchId)
  names.want('product', productId)
  names.want('team', homeTeamId, awayTeamId)
  names.want('account', accountId)
  names.want('segment', segmentId)
  names.want('league', leagueId)
  names.want('division', divisionId)
  names.want('membership', kindId)
  names.want('question', questionId)
  names.want('sanction', sanctionId)
  for (const id of [tierId, toTierId]) if (id) names.want('tier', partId(accountId, id))
  for (const id of [levelId, toLevelId]) if (id) names.want('level', partId(divisionId, id))
  if (Array.isArray(lines)) names.want('product', ...lines.map(line => line?.productId))
  else if (rewardId === null) names.want('order', orderId)
  const trade = typeof tradeId === 'string' ? related.trades.get(tradeId) : undefined
  if (trade) {
    names.want('fan', trade.otherId)
    names.want('collectible', ...[...trade.gave, ...trade.got].map(item => item.collectibleId))
  }
  if (Array.isArray(items)) names.want('collectible', ...items)
}

export function presentEvent(row: EventRow, context: Context): Shown {
  const type = row.type ?? ''
  const own = describeType(row, context)
  const decisions = decisionsOf(row)
  const taken = parseJson<TakenGrant[]>(row.taken) ?? []
  return {
    kind: kindOfEvent(type),
    title: `${isolate(typeInWords(type))}, reported by ${isolate(row.source)}`,
    isBare: row.data === null,
    ...own,
    detail: joined([
      own?.detail,
      ...decisions.map(one => describeDecision(one, context.names)),
      voidedBy(taken),
    ]),
    tone: row.voidedAt ? 'warn' : (own?.tone ?? 'neutral'),
    state: row.voidedAt ? 'voided' : (own?.state ?? null),
    event: { source: row.source, eventId: row.eventId },
    facts: [
      ...(own?.facts ?? []),
      idFact('Type', type),
      fact('Source', row.source),
      idFact('Event', row.eventId),
      fact('Sequence', row.sequence),
      timeFact('Occurred', row.occurredAt),
      timeFact('Voided', row.voidedAt),
      context.personal ? fact('Note of the void', row.voidNote) : null,
    ],
  }
}

/** “Buy a shirt” granted 10 points. */
function describeDecision({ ruleId, outcome, points, window }: Decision, names: Names): string {
  const rule = `Rule ${names.quote('rule', ruleId)}`
  if (outcome === 'granted') return `${rule} granted ${plural(points, 'point')}.`
  if (outcome === 'limit')
    return `${rule} granted nothing: its limit was reached${window ? ` (${window})` : ''}.`
  if (outcome === 'full')
    return `${rule} granted nothing: the account could not hold ${plural(points, 'point')} more.`
  return `${rule} granted nothing: ${plural(points, 'point')} did not fit into the rest of its budget.`
}

function voidedBy(taken: TakenGrant[]): string | undefined {
  if (taken.length === 0) return undefined
  const points = taken.reduce((sum, grant) => sum + grant.points, 0)
  const uncollected = taken.reduce((sum, grant) => sum + grant.uncollected, 0)
  return `Its void took ${plural(points, 'point')} back${uncollected > 0 ? `; ${uncollected} had been spent` : ''}.`
}

const joined = (parts: (string | null | undefined)[]): string | null =>
  parts.filter(part => typeof part === 'string' && part !== '').join(' ') || null
