/** Fills a database with a catalogue and fans at all stages, through the verbs that the API itself uses. */
import type { Database, Transaction } from '../../db/index.ts'
import { type Fan, generateFans } from '../../mock-idp/users.ts'
import type { Caller } from '../../src/caller.ts'
import { judgeClaims } from '../../src/identity/claims.ts'
import { ensureUser, findUser } from '../../src/identity/users.ts'
import { completePurchase } from '../../src/packs/complete-purchase.ts'
import { openPack } from '../../src/packs/open-pack.ts'
import { startPurchase } from '../../src/packs/start-purchase.ts'
import { appendEntry } from '../../src/points/ledger.ts'
import { DomainError } from '../../src/problems.ts'
import { claimReward } from '../../src/rewards/claim.ts'
import { redeemReward } from '../../src/rewards/redeem.ts'
import { completeOnboarding } from '../../src/user/onboarding.ts'
import { upsertProfile } from '../../src/user/profile.ts'
import { rewards, teams } from './catalogue.ts'
import { seedCatalogue } from './seed-catalogue.ts'
import { createSeedSources, type SeedSources } from './sources.ts'

export interface SeedOptions {
  seed: number
  /** How many fans the provider has; about a third of them stay new to the application. */
  fans: number
  /** `IDP_NAME` and `IDP_ISSUER` of the provider whose fans these are. */
  provider: { name: string; issuer: string }
  onboardingPoints: number
  onProgress?: (done: number, total: number) => void
}

export interface SeedReport {
  teams: number
  rewards: number
  packs: number
  /** Fans written by this run; those who were there are left as they are. */
  fans: number
}

/** Runs any number of times: what is there stays as it is, whoever changed it. */
export async function seedDatabase(db: Database, options: SeedOptions): Promise<SeedReport> {
  const catalogue = await db.write(seedCatalogue)
  const fans = generateFans({ seed: options.seed, count: options.fans })
  let written = 0
  for (const [index, fan] of fans.entries()) {
    const stage = stageOf(index)
    // One unit of work a fan: killed at any moment, a second run goes on where this one ended.
    if (stage !== 'new' && (await db.write(tx => seedFan(tx, fan, index, options)))) written++
    options.onProgress?.(index + 1, fans.length)
  }
  return { ...catalogue, fans: written }
}

const stages = [
  'new',
  'profile',
  'onboarded',
  'active',
  'new',
  'active',
  'claimed',
  'new',
  'collector',
  'redeemed',
] as const
export type Stage = (typeof stages)[number]

/** fan-0001 is always new, so that a first try starts at the beginning. */
export const stageOf = (index: number): Stage => stages[index % stages.length] ?? 'new'

/** False when the fan has a record already. */
async function seedFan(real: Transaction, fan: Fan, index: number, options: SeedOptions): Promise<boolean> {
  const { name, issuer } = options.provider
  const caller: Caller = { provider: name, subject: fan.sub }
  if (await findUser(real, caller)) return false

  const sources = createSeedSources(options.seed, index)
  const tx: Transaction = Object.assign(Object.create(real), sources)
  const stage = stageOf(index)
  await upsertProfile(tx, caller, draftProfile(fan, sources))
  if (stage === 'profile') return true

  sources.pass(90_000)
  const picture = `${issuer}/avatars/${fan.sub}.svg`
  const { claims } = judgeClaims(fan.sub, { ...fan, picture }, sources.now())
  const joinLeaderboard = sources.faker.datatype.boolean({ probability: 0.85 })
  await completeOnboarding(
    tx,
    caller,
    { joinLeaderboard },
    { points: options.onboardingPoints, claims, deferral: null },
  )
  if (stage === 'onboarded') return true

  await seedActivity(tx, caller, sources)
  if (stage === 'active') return true
  if (stage === 'collector') {
    await seedPacks(tx, caller, sources)
    return true
  }
  await seedClaims(tx, caller, sources, stage === 'redeemed')
  return true
}

function draftProfile(fan: Fan, { faker }: SeedSources) {
  const team = faker.helpers.arrayElement(teams)
  return {
    handle: fan.preferred_username,
    country: team[4],
    locale: fan.locale,
    favoriteTeamId: team[0],
    ...(faker.datatype.boolean({ probability: 0.3 }) ? { bio: faker.helpers.arrayElement(bios) } : {}),
  }
}

const bios = [
  'North stand, row 12, since 1998.',
  'I have seen us lose in eleven countries.',
  'Here for the pies and the second half.',
  'Third generation season ticket.',
  'Mostly shouting at the radio.',
]

async function seedActivity(tx: Transaction, caller: Caller, { faker, pass }: SeedSources) {
  const { user } = await ensureUser(tx, caller)
  const visits = faker.number.int({ min: 3, max: 24 })
  for (let visit = 1; visit <= visits; visit++) {
    pass(faker.number.int({ min: 3_600_000, max: 3 * 86_400_000 }))
    const delta = faker.helpers.arrayElement([10, 20, 25, 50, 100])
    await appendEntry(tx, { userId: user.id, delta, reason: 'activity', ref: `check-in-${visit}` })
  }
}

/** Claims what the fan can afford; a refusal of the rules is part of the game. */
async function seedClaims(tx: Transaction, caller: Caller, { faker, pass }: SeedSources, redeem: boolean) {
  for (const { id } of faker.helpers.arrayElements(rewards.slice(0, 9), { min: 2, max: 5 })) {
    pass(faker.number.int({ min: 60_000, max: 86_400_000 }))
    try {
      await claimReward(tx, caller, { rewardId: id })
      if (redeem) await redeemReward(tx, caller, { rewardId: id })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }
}

/** Buys a pack or two with points, and opens most. */
async function seedPacks(tx: Transaction, caller: Caller, { faker, pass }: SeedSources) {
  for (const packId of faker.helpers.arrayElements(['starter', 'derby-day'], { min: 1, max: 2 })) {
    pass(faker.number.int({ min: 60_000, max: 86_400_000 }))
    try {
      const purchase = await startPurchase(tx, caller, { packId }, 0)
      const completion = await completePurchase(tx, purchase.id, { kind: 'points' })
      const userPackId = completion.outcome === 'completed' ? completion.purchase.userPack?.id : undefined
      const opens = faker.datatype.boolean({ probability: 0.7 })
      if (userPackId && opens) await openPack(tx, caller, { userPackId, clientSeed: faker.word.noun() })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }
}
