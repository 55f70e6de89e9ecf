/** Invariants between events and the rows that they describe. */
import type { Tables } from '../../db/index.ts'
import { decisionsOf, parseJson } from '../../src/economy/events/event.ts'
import type { TakenGrant } from '../../src/economy/rules/apply-rules.ts'
import { differences } from './differences.ts'

type Named = 'events' | 'pointsEntries' | 'userRewards' | 'onboardings' | 'userPacks'
type Rows = { [Name in Named]: Tables[Name]['$inferSelect'][] }

/** Sequences have no gap, the ledger has the grants and voids of the events, and each verb has recorded its event. */
export const eventFaults = (rows: Rows): string[] => [
  ...sequenceFaults(rows),
  ...grantFaults(rows),
  ...untoldVerbs(rows),
  ...untoldEntries(rows),
]

function sequenceFaults({ events }: Rows): string[] {
  const ofFans = events.filter(({ userId }) => userId !== null)
  return [...Map.groupBy(ofFans, ({ userId }) => userId)].flatMap(([userId, own]) =>
    own
      .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
      .flatMap(({ sequence }, at) => (sequence === at + 1 ? [] : [`${userId}: no event ${at + 1}`])),
  )
}

function grantFaults({ events, pointsEntries }: Rows): string[] {
  const granted = events.flatMap(({ userId, source, eventId, ...event }) =>
    decisionsOf(event)
      .filter(({ outcome }) => outcome === 'granted')
      .map(({ ruleId, points }) => `${userId} ${ruleId}:${source}:${eventId} ${points}`),
  )
  const taken = events.flatMap(({ userId, source, eventId, ...event }) =>
    (parseJson<TakenGrant[]>(event.taken) ?? [])
      .filter(({ points }) => points > 0)
      .map(({ ruleId, points }) => `${userId} ${ruleId}:${source}:${eventId} ${points}`),
  )
  const booked = (reason: string) =>
    pointsEntries
      .filter(entry => entry.reason === reason)
      .map(({ userId, ref, delta }) => `${userId} ${ref} ${Math.abs(delta)}`)
  return [
    ...differences('grant of a rule', granted, booked('rule')),
    ...differences('void of a grant', taken, booked('rule_void')),
  ]
}

function untoldVerbs({ events, userRewards, onboardings, userPacks }: Rows): string[] {
  const recorded = (type: string, member?: string) =>
    events
      .filter(event => event.type === type)
      .map(({ userId, data }) => (member ? `${userId} ${JSON.parse(data ?? '{}')[member]}` : `${userId}`))
  const claims = userRewards.map(({ userId, rewardId }) => `${userId} ${rewardId}`)
  const opened = userPacks.filter(({ openedAt }) => openedAt !== null)
  return [
    ...differences(
      'event of an onboarding',
      onboardings.map(({ userId }) => userId),
      recorded('onboarding.completed'),
    ),
    ...differences('event of a claim', claims, recorded('reward.claimed', 'rewardId')),
    ...differences(
      'event of an opening',
      opened.map(({ userId, id }) => `${userId} ${id}`),
      recorded('pack.opened', 'userPackId'),
    ),
  ]
}

/** Every entry of a ledger is the event `points.changed`, in the order of the ledger. */
export function untoldEntries({ events, pointsEntries }: Pick<Rows, 'events' | 'pointsEntries'>): string[] {
  const booked = pointsEntries
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ id, userId, delta, balanceAfter: balance, reason, ref }) =>
      JSON.stringify([id, userId, { delta, balance, reason, ref }]),
    )
  const told = events
    .filter(({ type }) => type === 'points.changed')
    .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
    .map(({ eventId, userId, data }) => {
      const { lifetime: _, ...change } = JSON.parse(data ?? '{}')
      return JSON.stringify([eventId, userId, change])
    })
  const ofFan = (rows: string[]) =>
    [...Map.groupBy(rows, row => JSON.parse(row)[1])].map(([userId, own]) => `${userId} ${own.join(' ')}`)
  return differences('entries of a fan as events', ofFan(booked), ofFan(told))
}
