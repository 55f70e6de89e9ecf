/** An account that its entries contradict takes no further entry: the chain on top of it would be broken permanently. */
import { expect, spyOn, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import { GENESIS_HASH, LedgerMismatchError } from '../../../src/economy/ledgers/chain.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { withoutRules } from '../../db/probe.ts'
import { onEachEngine, type World } from '../../support/world.ts'

const idOf = async (tx: Transaction, subject: string) =>
  (await ensureUser(tx, { provider: 'mock-idp', subject })).user.id

const book = ({ db }: World, subject: string, delta: number, ref: string) =>
  db.write(async tx => appendEntry(tx, { userId: await idOf(tx, subject), delta, reason: 'activity', ref }))

const entriesOf = async ({ db }: World, userId: string) =>
  (await db.read.select().from(db.tables.pointsEntries)).filter(entry => entry.userId === userId)

onEachEngine('An account that disagrees with its entries', world => {
  const temporary = () => ({ db: world.db, url: world.databaseUrl })

  /** A fan whose account was written by SQL, without an entry. */
  async function migratedFan(subject: string) {
    const { db } = world
    const userId = await db.write(tx => idOf(tx, subject))
    const account = {
      userId,
      balance: 500,
      lifetime: 500,
      seq: 0,
      headHash: GENESIS_HASH,
      updatedAt: new Date(0),
    }
    await db.write(tx => tx.insert(tx.tables.pointsAccounts).values(account))
    return userId
  }

  test('takes no entry when it was written without one; the error names the fan and the command', async () => {
    const userId = await migratedFan('by-sql')
    const refusal = await book(world, 'by-sql', 10, 'a').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(LedgerMismatchError)
    expect(String(refusal)).toContain(userId)
    expect(String(refusal)).toContain('bun run verify-ledger')
    // Also where the balance would not suffice: nobody knows what it is.
    await expect(book(world, 'by-sql', -900, 'b')).rejects.toBeInstanceOf(LedgerMismatchError)
    expect(await entriesOf(world, userId)).toEqual([])
  })

  test.each([
    ['its balance', 'UPDATE points_accounts SET balance = balance + 1'],
    ['its seq, which is ahead', 'UPDATE points_accounts SET seq = seq + 1'],
    ['its seq, which is behind', 'UPDATE points_accounts SET seq = seq - 1'],
    ['its head hash', `UPDATE points_accounts SET head_hash = '${GENESIS_HASH}'`],
    [
      'itself: it was made new',
      `UPDATE points_accounts SET balance = 0, lifetime = 0, seq = 0, head_hash = '${GENESIS_HASH}'`,
    ],
  ])('takes no entry when the chain contradicts %s', async (what, statement) => {
    const subject = `changed: ${what}`
    for (const [nth, delta] of [10, 20, 30].entries()) await book(world, subject, delta, `${nth}`)
    const userId = await world.db.write(tx => idOf(tx, subject))
    await withoutRules(temporary(), run => run(`${statement} WHERE user_id = '${userId}'`).then(() => {}))
    await expect(book(world, subject, 5, 'next')).rejects.toBeInstanceOf(LedgerMismatchError)
    // A repeat of an earlier booking still returns its result, since it appends nothing.
    expect(await book(world, subject, 10, '0')).toMatchObject({ outcome: 'booked_before' })
    expect(await entriesOf(world, userId)).toHaveLength(3)
  })

  test('a request of the fan is 500 without details, and the log names the fan', async () => {
    const fan = await world.fan()
    const userId = await migratedFan(fan.subject)
    const { status, body } = await fan.post('/api/user/onboarding', {})
    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(body)).not.toMatch(/ledger|account/)
    const line = world.logged.find(text => text.includes('request failed') && text.includes(userId))
    expect(line).toContain('verify-ledger')
    expect((await fan.get('/api/user/onboarding')).body.state).toBe('not_started')
  })

  test('is found without an additional statement: an append takes three', async () => {
    await book(world, 'counted', 10, 'first')
    await world.db.write(async tx => {
      const userId = await idOf(tx, 'counted')
      const asked = spyOn(tx.statements, 'get')
      // A transaction on PostgreSQL builds each statement for itself, and asks for it once even so.
      await appendEntry(tx, { userId, delta: 5, reason: 'activity', ref: 'second' })
      const statements = asked.mock.calls.length
      asked.mockRestore()
      // Account with its newest entry, entry of the cause and enrolment read; what is written in bulk is not counted.
      expect(statements).toBe(3)
    })
  })
})
