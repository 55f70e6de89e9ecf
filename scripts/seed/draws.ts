/** Draws the actions of the fans of a seed; executed by the bulk writer and, in tests, by the verbs. */
import type { Stage } from '../../mock-idp/users/stages.ts'
import type { Fan } from '../../mock-idp/users/user.ts'
import { DAY_MS } from './calendar.ts'
import { OWN_TEAM, rewards, teams } from './demo-catalogue.ts'
import type { SeedSources } from './sources.ts'

const bios = [
  'North stand, row 12, since 1998.',
  'I have seen us lose in eleven countries.',
  'Here for the pies and the second half.',
  'Third generation season ticket.',
  'Mostly shouting at the radio.',
]

export function drawProfile(fan: Fan, { faker }: SeedSources) {
  const isOwn = faker.datatype.boolean({ probability: 0.5 })
  const team = faker.helpers.arrayElement(teams.filter(([id]) => !isOwn || id === OWN_TEAM))
  return {
    handle: fan.preferred_username,
    country: team[4],
    locale: fan.locale,
    favoriteTeamId: team[0],
    ...(faker.datatype.boolean({ probability: 0.3 }) ? { bio: faker.helpers.arrayElement(bios) } : {}),
  }
}

/** Time between the creation of the profile and the onboarding. */
export const ONBOARDING_MS = 90_000

export const drawJoinsLeaderboard = ({ faker }: SeedSources) => faker.datatype.boolean({ probability: 0.85 })

/** An event that a system of the club reports. */
export interface Visit {
  source: string
  eventId: string
  type: 'ticket.scanned' | 'shop.purchase'
  data: Record<string, string | number | boolean>
}

/** Below the target of the quest for fifteen matches, whose reward is an item. */
const MAX_TICKETS = 14
const GATES = ['N1', 'N2', 'E3', 'S1', 'W4']

export const drawTicket = ({ faker, newId }: SeedSources): Visit => ({
  source: 'turnstiles',
  eventId: newId(),
  type: 'ticket.scanned',
  data: {
    gate: faker.helpers.arrayElement(GATES),
    away: faker.datatype.boolean({ probability: 0.15 }),
  },
})

const drawPurchase = ({ faker, newId }: SeedSources): Visit => ({
  source: 'club-shop',
  eventId: newId(),
  type: 'shop.purchase',
  data: { amount: faker.number.int({ min: 4, max: 120 }) * 100 + 90, currency: 'EUR' },
})

/** Fans with match days have them afterwards. */
export const visitShareOf = (stage: Stage) => (stage === 'active' ? 0.12 : 1)

/**
 * Matches and other visits of the ground, and what the fan buys there; advances the fan's time, by at most `share` of what is
 * left. Many fans still come, and others have not come for a while.
 */
export function* drawVisits(sources: SeedSources, share: number): Generator<Visit> {
  const { faker, pass, left } = sources
  const stays = faker.datatype.boolean({ probability: 0.6 })
  const part = stays ? faker.number.float({ min: 0.97, max: 1 }) : faker.number.float({ min: 0.1, max: 0.9 })
  const end = left() * (1 - share * part)
  const days = Math.floor((left() - end) / DAY_MS)
  let tickets = 0
  for (let visits = Math.min(faker.number.int({ min: 3, max: 24 }), 1 + days); visits > 0; visits--) {
    pass(faker.number.int({ min: 1, max: Math.max(1, Math.floor((2 * (left() - end)) / (visits + 1))) }))
    const isTicket = tickets < MAX_TICKETS && faker.datatype.boolean({ probability: 0.75 })
    if (isTicket) tickets++
    yield isTicket ? drawTicket(sources) : drawPurchase(sources)
  }
}

/** Rewards that a fan tries to claim; advances the fan's time. */
export function* drawClaimAttempts({ faker, passSome }: SeedSources) {
  for (const { id } of faker.helpers.arrayElements(rewards.slice(0, 9), { min: 2, max: 5 })) {
    passSome(DAY_MS)
    yield id
  }
}

/** Packs that a fan tries to buy with points; advances the fan's time. */
export function* drawPurchases({ faker, passSome }: SeedSources) {
  for (const packId of faker.helpers.arrayElements(['starter', 'derby-day'], { min: 1, max: 2 })) {
    passSome(DAY_MS)
    yield packId
  }
}

/** The client seed of a pack; null if it stays sealed. */
export const drawOpening = ({ faker }: SeedSources) =>
  faker.datatype.boolean({ probability: 0.7 }) ? faker.word.noun() : null
