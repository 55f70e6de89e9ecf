/** Draws the actions of the fans of a seed; executed by the bulk writer and, in tests, by the verbs. */
import type { Fan } from '../../mock-idp/users/user.ts'
import { rewards, teams } from './demo-catalogue.ts'
import type { SeedSources } from './sources.ts'

const bios = [
  'North stand, row 12, since 1998.',
  'I have seen us lose in eleven countries.',
  'Here for the pies and the second half.',
  'Third generation season ticket.',
  'Mostly shouting at the radio.',
]

export function drawProfile(fan: Fan, { faker }: SeedSources) {
  const team = faker.helpers.arrayElement(teams)
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

/** Check-ins at the stadium; advances the fan's time. */
export function* drawVisits({ faker, pass }: SeedSources) {
  const visits = faker.number.int({ min: 3, max: 24 })
  for (let visit = 1; visit <= visits; visit++) {
    pass(faker.number.int({ min: 3_600_000, max: 3 * 86_400_000 }))
    const delta = faker.helpers.arrayElement([10, 20, 25, 50, 100])
    yield { delta, reason: 'activity' as const, ref: `check-in-${visit}` }
  }
}

/** Rewards that a fan tries to claim; advances the fan's time. */
export function* drawClaimAttempts({ faker, pass }: SeedSources) {
  for (const { id } of faker.helpers.arrayElements(rewards.slice(0, 9), { min: 2, max: 5 })) {
    pass(faker.number.int({ min: 60_000, max: 86_400_000 }))
    yield id
  }
}

/** Packs that a fan tries to buy with points; advances the fan's time. */
export function* drawPurchases({ faker, pass }: SeedSources) {
  for (const packId of faker.helpers.arrayElements(['starter', 'derby-day'], { min: 1, max: 2 })) {
    pass(faker.number.int({ min: 60_000, max: 86_400_000 }))
    yield packId
  }
}

/** The client seed of a pack; null if it stays sealed. */
export const drawOpening = ({ faker }: SeedSources) =>
  faker.datatype.boolean({ probability: 0.7 }) ? faker.word.noun() : null
