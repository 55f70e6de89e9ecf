/** The rows of the timeline in words, for all tables. */
import type { Tables } from '../../../../../db/index.ts'
import type { CashReason } from '../../../../economy/cash/reasons.ts'
import { parseJson } from '../../../../economy/events/event.ts'
import { POINTS, statusOf } from '../../../../play/purchases/purchase.ts'
import { statusOf as tradeStatusOf } from '../../../../play/trades/trades.ts'
import { fact, idFact, plural, type Shown, timeFact } from './item.ts'
import { typeInWords } from './kinds.ts'
import { isolate, type Names, type WantedNames } from './names.ts'
import { describeEntry, wantOfEntry } from './points-words.ts'
import { presentEvent, wantOfEvent } from './present-event.ts'
import type { Related } from './related.ts'
import type { TimelineEntry } from './sources.ts'

type RowOf<Name extends keyof Tables> = Tables[Name]['$inferSelect']

export interface Presenting {
  fanId: string
  now: Date
  names: Names
  related: Related
  /** Whether the role sees personal data. */
  personal: boolean
  /** Whether the role sees who decided a sanction, and the notes. */
  moderation: boolean
  /** Whether the role sees amounts of money. */
  money: boolean
}

/** The names that `presentRow` asks for. */
export function wantOfRow(
  { table, row }: TimelineEntry,
  fanId: string,
  related: Related,
  names: WantedNames,
) {
  if (table === 'events') wantOfEvent(row, related, names)
  else if (table === 'pointsEntries') wantOfEntry(row, names)
  else if (table === 'packPurchases') names.want('pack', row.packId)
  else if (table === 'orders')
    names.want('product', ...(related.lines.get(row.id) ?? []).map(({ productId }) => productId))
  else if (table === 'trades') {
    names.want('fan', otherOf(row, fanId))
    names.want('collectible', ...(related.items.get(row.id) ?? []).map(({ collectibleId }) => collectibleId))
  } else if (table === 'webhookDeliveries') names.want('endpoint', row.endpointId)
}

const otherOf = ({ fromId, toId }: RowOf<'trades'>, fanId: string) => (fromId === fanId ? toId : fromId)

export function presentRow({ table, row }: TimelineEntry, context: Presenting): Shown {
  switch (table) {
    case 'events':
      return presentEvent(row, context)
    case 'pointsEntries':
      return presentEntry(row, context)
    case 'cashEntries':
      return presentCash(row, context)
    case 'topUps':
      return presentTopUp(row, context)
    case 'packPurchases':
      return presentPack(row, context)
    case 'orders':
      return presentOrder(row, context)
    case 'trades':
      return presentTrade(row, context)
    case 'moderationDecisions':
      return presentDecision(row, context)
    case 'webhookDeliveries':
      return presentDelivery(row, context)
    case 'consoleAudit':
      return presentAction(row, context)
  }
}

function presentEntry(entry: RowOf<'pointsEntries'>, context: Presenting): Shown {
  const { title, note } = describeEntry(entry, context)
  return {
    kind: 'points',
    title,
    detail: note,
    points: entry.delta,
    facts: [
      idFact('Reference', entry.ref),
      fact('Balance after', entry.balanceAfter),
      fact('Entry', entry.seq),
    ],
  }
}

/** A reason without words does not compile. */
const CASH_TITLES: Record<CashReason, string> = {
  top_up: 'Cash topped up',
  top_up_refund: 'A top-up was refunded',
  promotion: 'Cash given by the club',
  promotion_ended: 'Cash of the club expired',
  payment: 'Paid with cash',
  refund: 'Cash refunded',
  merge: 'Cash brought by a merged fan',
  merged: 'Cash moved to another fan by a merge',
}

const presentCash = (
  { reason, ref, delta, currency, balanceAfter, seq }: RowOf<'cashEntries'>,
  { money }: Presenting,
): Shown => ({
  kind: 'cash',
  // Guarantee of the cast: a later version may have written a reason that is not a key.
  title: (CASH_TITLES as Partial<Record<string, string>>)[reason] ?? typeInWords(reason),
  money: money ? { amount: delta, currency } : null,
  facts: [
    idFact('Reference', ref),
    money ? fact(`Balance after, in minor units of ${currency}`, balanceAfter) : null,
    fact('Entry', seq),
  ],
})

/** Prices in points are shown to all, like the ledger. */
const priceOf = (
  { priceAmount: amount, priceCurrency: currency }: Pick<RowOf<'orders'>, 'priceAmount' | 'priceCurrency'>,
  { money }: Presenting,
) => (money || currency === POINTS ? { amount, currency } : null)

const toneOf = (status: string) => (status === 'refund_due' ? ('warn' as const) : ('neutral' as const))
const wordsOf = (status: string) => status.replaceAll('_', ' ')

function presentTopUp(row: RowOf<'topUps'>, context: Presenting): Shown {
  const status = statusOf(row, context.now)
  return {
    kind: 'cash',
    title: 'Started a top-up',
    state: wordsOf(status),
    tone: toneOf(status),
    money: priceOf(row, context),
    facts: factsOfPurchase(row, 'Top-up'),
  }
}

function presentPack(row: RowOf<'packPurchases'>, context: Presenting): Shown {
  const status = statusOf(row, context.now)
  return {
    kind: 'packs',
    title: `Started to buy the pack ${context.names.quote('pack', row.packId)}`,
    state: wordsOf(status),
    tone: toneOf(status),
    money: priceOf(row, context),
    purchaseId: row.completedAt === null ? null : row.id,
    facts: factsOfPurchase(row, 'Purchase'),
  }
}

function presentOrder(row: RowOf<'orders'>, context: Presenting): Shown {
  const { now, names, related } = context
  const status = statusOf(row, now)
  const lines = related.lines.get(row.id) ?? []
  return {
    kind: 'orders',
    title: `Placed an order of ${plural(
      lines.reduce((sum, { quantity }) => sum + quantity, 0),
      'unit',
    )}`,
    detail:
      lines
        .map(({ quantity, productId }) => `${quantity} × ${names.name('product', productId)}`)
        .join(', ') || null,
    state: wordsOf(status === 'completed' ? 'paid' : status),
    tone: toneOf(status),
    money: priceOf(row, context),
    purchaseId: row.completedAt === null ? null : row.id,
    facts: factsOfPurchase(row, 'Order'),
  }
}

const factsOfPurchase = (row: RowOf<'topUps'>, name: string) => [
  idFact(name, row.id),
  timeFact('Expires', row.status === 'pending' ? row.expiresAt : null),
  timeFact('Completed', row.completedAt),
  timeFact('Refunded', row.refundedAt),
  idFact('Payment', row.paymentReference),
]

function presentTrade(row: RowOf<'trades'>, { fanId, now, names, related }: Presenting): Shown {
  const items = related.items.get(row.id) ?? []
  const sideOf = (side: string) => items.filter(item => item.side === side)
  const [give, want] = [sideOf('give'), sideOf('want')]
  const other = otherOf(row, fanId)
  const what = want.length === 0 ? 'a gift' : 'a trade'
  const list = (of: typeof items) =>
    of.map(item => `${names.name('collectible', item.collectibleId)} #${item.serialNumber}`).join(', ')
  return {
    kind: 'trades',
    title:
      row.fromId === fanId
        ? `Offered ${what} to ${names.quote('fan', other)}`
        : `Was offered ${what} by ${names.quote('fan', other)}`,
    detail: `Gives ${list(give)}${want.length > 0 ? ` for ${list(want)}` : ''}.`,
    state: tradeStatusOf(row, now),
    otherFanId: other,
    facts: [idFact('Trade', row.id), timeFact('Ended', row.endedAt), timeFact('Expires', row.expiresAt)],
  }
}

const DECISIONS: Record<string, Pick<Shown, 'title' | 'tone'>> = {
  dismiss: { title: 'Reports about this fan were dismissed', tone: 'neutral' },
  hide: { title: 'Hidden from others by the club', tone: 'bad' },
  mute: { title: 'Muted by the club', tone: 'bad' },
  suspend: { title: 'Suspended by the club', tone: 'bad' },
  lift: { title: 'A sanction was lifted', tone: 'good' },
  note: { title: 'A moderator left a note', tone: 'neutral' },
}

function presentDecision(row: RowOf<'moderationDecisions'>, { moderation, related }: Presenting): Shown {
  const note = moderation ? related.notes.get(row.id) : undefined
  const known = DECISIONS[row.kind] ?? { title: row.kind, tone: 'neutral' as const }
  return {
    kind: 'moderation',
    ...known,
    detail: note === undefined ? null : isolate(note),
    state: row.kind === 'note' ? null : typeInWords(row.reason),
    facts: [
      fact('Reason', typeInWords(row.reason)),
      timeFact('Until', row.until),
      moderation ? fact('Decided by', row.decidedBy) : null,
      idFact('Decision', row.id),
      idFact('Lifts', row.liftsId),
    ],
  }
}

const DELIVERY_TONES: Record<string, Shown['tone']> = { failed: 'bad', pending: 'warn' }

const presentDelivery = (
  { endpointId, type, state, attempts, attemptedAt, status, response, sequence }: RowOf<'webhookDeliveries'>,
  { names }: Presenting,
): Shown => ({
  kind: 'webhooks',
  title: `“${typeInWords(type)}” sent to ${names.name('endpoint', endpointId)}`,
  detail: state === 'delivered' ? null : `${plural(attempts, 'attempt')} so far.`,
  state,
  tone: DELIVERY_TONES[state] ?? 'neutral',
  facts: [
    fact('Attempts', attempts),
    timeFact('Last attempt', attemptedAt),
    fact('Status', status),
    state === 'delivered' ? null : fact('Response', response),
    idFact('Endpoint', endpointId),
    fact('Event number', sequence),
  ],
})

/** `mergeFans` as “merge fans”. */
const operationInWords = (operation: string) =>
  operation.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

/** The members of the detail, in words. A detail with a currency has its sum as `amount`. */
function detailsOf(detail: string | null, money: boolean) {
  // Guarantee of the cast: `recordAction` writes objects.
  const members = parseJson<Record<string, unknown>>(detail) ?? {}
  const isHidden = (name: string) => !money && name === 'amount' && (members.currency ?? POINTS) !== POINTS
  return Object.entries(members).map(([name, value]) =>
    isHidden(name)
      ? null
      : fact(
          typeInWords(operationInWords(name)),
          typeof value === 'object'
            ? JSON.stringify(value)
            : value === true
              ? 'yes'
              : value === false
                ? 'no'
                : value,
        ),
  )
}

const presentAction = (row: RowOf<'consoleAudit'>, { money }: Presenting): Shown => ({
  kind: 'console',
  title: `${isolate(row.staffName)}: ${operationInWords(row.operation)}`,
  detail: row.reason === null ? null : isolate(row.reason),
  facts: [
    fact('Role', row.role),
    fact('Confirmed by', row.confirmedByName),
    ...detailsOf(row.detail, money),
    fact('Audit entry', row.seq),
  ],
})
