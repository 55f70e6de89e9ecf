/**
 * Every operation that writes, raced with the erasure of its fan: whichever comes first, nothing of the fan is left. Found by
 * walking the OpenAPI document. Any row that keeps one of the texts shows it.
 */
import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../db/index.ts'
import { runStatement } from '../../../db/schema/shape.ts'
import { eraseUser, planErasure } from '../../../src/fan/account/erase-user.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import type { Answer } from '../../support/client.ts'
import { dump } from '../../support/dump.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { operations, serverClient, WITHOUT_FAN, writingOperations } from './writing-operations.ts'

/** Stops the next unit of work of a database at its start or at its end, until it is released. */
function stopNextWrite(db: Database, at: 'start' | 'end') {
  const [stopped, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { write } = db
  const stop = async () => {
    stopped.resolve()
    await released.promise
  }
  db.write = async work => {
    db.write = write
    if (at === 'start') await stop()
    return db.write(async tx => {
      const result = await work(tx)
      if (at === 'end') await stop()
      return result
    })
  }
  return { stopped: stopped.promise, release: released.resolve }
}

function suite(world: World) {
  const isServer = () => world.db.engine === 'postgres' && world.databaseUrl !== null
  const erase = (fan: Fan) =>
    world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject: fan.subject }))
  /** Whether a unit of work waits for a lock of another one. */
  async function someoneWaits() {
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await runStatement(world.db.read, waiting)).length > 0
  }
  /** Resolves when the work has ended or waits for a lock. */
  async function endsOrWaits(work: Promise<unknown>) {
    let ended = false
    const end = () => {
      ended = true
    }
    work.then(end, end)
    await waitUntil('the work ends or waits for a lock', async () => ended || someoneWaits())
  }

  async function prepare(operationId: string) {
    const fan = await world.fan()
    const userId = await userIdOf(world, fan)
    const racing = await operations[operationId]?.(world, fan)
    if (!racing) throw new Error(`${operationId} has no line`)
    return { fan, userId, ...racing }
  }

  async function expectNothingLeft({ fan, userId }: { fan: Fan; userId: string }, answer: Answer) {
    const rows = await dump(world.db)
    expect(rows.filter(row => row.includes(fan.subject))).toEqual([])
    const { fanRelations, privacySettings } = world.db.tables
    const relations = await world.db.read.select().from(fanRelations)
    expect(relations.filter(({ fanId, otherId }) => [fanId, otherId].includes(userId))).toEqual([])
    expect((await world.db.read.select().from(privacySettings)).filter(row => row.userId === userId)).toEqual(
      [],
    )
    expect(await planErasure(world.db.read, { id: userId })).toEqual({
      userId,
      erasedAt: expect.any(String),
      profile: [],
      identity: [],
      devices: 0,
      redemptionCodes: 0,
      grantNotes: 0,
      eventData: 0,
      deferredSyncs: 0,
    })
    const code = answer.body?.reward?.redemptionCode
    if (!code) return
    const desk = await serverClient(world, 'redemptions:write')
    expect((await desk.post(`/api/redemptions/${code}/use`)).body.code).toBe('redemption_not_found')
  }

  test('is raced with every operation that writes', async () => {
    const known = [...Object.keys(operations), ...Object.keys(WITHOUT_FAN)]
    expect(await writingOperations(world)).toEqual(known.toSorted())
  })

  describe.each(Object.keys(operations))('and %s', operationId => {
    test('that was authenticated before it: the operation is refused', async () => {
      const racing = await prepare(operationId)
      const operation = stopNextWrite(world.db, 'start')
      const answering = racing.send()
      await operation.stopped
      await erase(racing.fan)
      operation.release()
      const { status, body } = await answering
      expect([status, body?.code]).toEqual(racing.refusal ?? [401, 'invalid_token'])
      await expectNothingLeft(racing, await answering)
    })

    test('that begins before it is committed: the operation waits, and is refused', async () => {
      const racing = await prepare(operationId)
      const erasure = stopNextWrite(world.db, 'end')
      const erasing = erase(racing.fan)
      await erasure.stopped
      const answering = racing.send()
      // On one connection units of work do not overlap.
      if (isServer()) await endsOrWaits(answering)
      erasure.release()
      const [answer] = await Promise.all([answering, erasing])
      await expectNothingLeft(racing, answer)
    })

    test('that is not committed yet: the erasure waits, and erases what it wrote', async () => {
      const racing = await prepare(operationId)
      const operation = stopNextWrite(world.db, 'end')
      const answering = racing.send()
      await operation.stopped
      const erasing = erase(racing.fan)
      if (isServer()) await endsOrWaits(erasing)
      operation.release()
      const [answer] = await Promise.all([answering, erasing])
      await expectNothingLeft(racing, answer)
    })
  })
}

// Three fans for each operation.
onEachEngine('An erasure', suite, { fans: 500 })
