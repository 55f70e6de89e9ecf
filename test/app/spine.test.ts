/** Without a spine, nothing is recorded that nobody would react to. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Database, openDatabase } from '../../db/index.ts'
import { recordEvent } from '../../src/economy/events/record-event.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { createClock } from '../support/clock.ts'
import { sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'

describe('A database that was opened without a spine (SQLite)', () => {
  let temporary: TemporaryDatabase
  let db: Database

  beforeAll(async () => {
    temporary = await sqliteEngine.open(createClock())
    db = openDatabase(temporary.url ?? '', createClock())
  })
  afterAll(async () => {
    await db.close()
    await temporary.remove()
  })

  test('records no event, and names what is missing', async () => {
    const recorded = db.write(async tx => {
      const { user } = await ensureUser(tx, { provider: 'mock-idp', subject: 'fan' })
      return recordEvent(tx, { userId: user.id, type: 'reward.redeemed', data: { rewardId: 'scarf' } })
    })
    await expect(recorded).rejects.toThrow("opened without a spine, which has 'events': pass createSpine()")
    expect(await db.read.select().from(db.tables.events)).toEqual([])
  })
})
