import { expect, test } from 'bun:test'
import type { Database } from '../db/index.ts'
import { seedDatabase } from '../scripts/seed/seed.ts'
import { GENESIS_HASH, hashEntry } from '../src/points/hash.ts'
import { createClock } from './support/clock.ts'
import { dump } from './support/dump.ts'
import { engines, sqliteEngine } from './support/engines.ts'

const options = {
  seed: 7,
  fans: 60,
  provider: { name: 'mock-idp', issuer: 'http://localhost:4000' },
  onboardingPoints: 100,
}

for (const engine of engines) {
  test(`seeding twice writes nothing the second time (${engine.name})`, async () => {
    const { db, remove } = await engine.open(createClock())
    const first = await seedDatabase(db, options)
    expect(first).toEqual({ teams: 8, rewards: 17, packs: 4, fans: 42 })
    const rows = await dump(db)
    expect(await seedDatabase(db, options)).toEqual({ teams: 0, rewards: 0, packs: 0, fans: 0 })
    expect(await dump(db)).toEqual(rows)
    await remove()
  })
}

test('the same seed gives the same rows in any database, and another seed gives others', async () => {
  const [one, two, other] = await Promise.all(
    engines.concat(sqliteEngine).map(engine => engine.open(createClock())),
  )
  if (!one || !two || !other) throw new Error('three databases were asked for')
  await seedDatabase(one.db, options)
  await seedDatabase(two.db, options)
  await seedDatabase(other.db, { ...options, seed: 8 })
  const rows = await dump(one.db)
  expect(await dump(two.db)).toEqual(rows)
  expect(await dump(other.db)).not.toEqual(rows)
  await Promise.all([one, two, other].map(({ remove }) => remove()))
})

test('a seeded database has fans at every stage and coherent ledgers', async () => {
  const { db, remove } = await sqliteEngine.open(createClock())
  await seedDatabase(db, { ...options, fans: 100 })
  const { users, onboardings, userRewards, pointsAccounts, pointsEntries } = db.tables
  const [people, completed, claims, accounts, entries] = await Promise.all([
    db.read.select().from(users),
    db.read.select().from(onboardings),
    db.read.select().from(userRewards),
    db.read.select().from(pointsAccounts),
    db.read.select().from(pointsEntries),
  ])
  expect(people.length).toBeGreaterThan(completed.length)
  expect(claims.some(({ redeemedAt }) => redeemedAt !== null)).toBe(true)
  expect(claims.some(({ redeemedAt }) => redeemedAt === null)).toBe(true)
  for (const account of accounts) {
    const chain = entries.filter(({ userId }) => userId === account.userId).toSorted((a, b) => a.seq - b.seq)
    expect(chain.reduce((sum, { delta }) => sum + delta, 0)).toBe(account.balance)
    expect(chain.reduce((hash, entry) => hashEntry(hash, entry), GENESIS_HASH)).toBe(account.headHash)
  }
  await remove()
})

test('another fan’s place does not depend on how many there are', async () => {
  const [few, many] = await Promise.all([sqliteEngine.open(createClock()), sqliteEngine.open(createClock())])
  await seedDatabase(few.db, { ...options, fans: 10 })
  await seedDatabase(many.db, { ...options, fans: 30 })
  const subjects = async (db: Database) =>
    (await db.read.select().from(db.tables.users)).toSorted((a, b) => a.subject.localeCompare(b.subject))
  const first = await subjects(few.db)
  expect((await subjects(many.db)).slice(0, first.length)).toEqual(first)
  await Promise.all([few.remove(), many.remove()])
})
