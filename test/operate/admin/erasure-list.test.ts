/** Erasures that are applied again to a restored database. */
import { expect, test } from 'bun:test'
import { findTokenValidity } from '../../../src/identity/users/user-token-validity.ts'
import { erasedSubject } from '../../../src/identity/users/users.ts'
import { reapplyErasures } from '../../../src/operate/admin/reapply-erasures.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('Erasures that are applied again', world => {
  test('erase a fan with only a stored response', async () => {
    const { db } = world
    const fan = { provider: world.config.identity.name, subject: 'fan-of-responses' }
    const expiresAt = new Date(world.clock.ms + 3_600_000)
    const { idempotencyKeys } = db.tables
    const record = { route: 'POST /x', key: 'k', fingerprint: 'f', status: 200, answer: '{}', expiresAt }
    await db.write(tx => tx.insert(idempotencyKeys).values({ ...fan, ...record }))

    const tombstone = {
      provider: fan.provider,
      subject: erasedSubject(fan),
      erasedAt: new Date(world.clock.ms),
    }
    expect(await reapplyErasures(db, [tombstone])).toEqual({ erased: 1, tombstones: 0 })
    expect(await db.read.select().from(idempotencyKeys)).toEqual([])
    expect(await findTokenValidity(db.read, fan)).toMatchObject({ erased: true })
  })
})
