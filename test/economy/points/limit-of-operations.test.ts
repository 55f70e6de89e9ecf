/**
 * Every operation whose own points may not fit into an account declares `points_limit_reached`, and no other does. Each is run
 * with rules for all events: what they would grant never makes an operation fail.
 */
import { beforeAll, expect, test } from 'bun:test'
import { gt } from 'drizzle-orm'
import { applicationEvents } from '../../../src/economy/events/types.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { operations } from '../../fan/account/writing-operations.ts'
import { operationsOf, readDocument } from '../../platform/docs/document.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import type { Answer } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { TYPE } from '../events/events-world.ts'

/** Less than each operation books. */
const ROOM = 4

/** A batch refuses each of its events, not the request. */
const codeOf = ({ status, body }: Answer) => (status < 400 ? body?.results?.[0]?.code : body.code)
const LIMIT = 'points_limit_reached'

onEachEngine('An operation that may book points', world => {
  beforeAll(async () => {
    const types = Object.keys(applicationEvents).filter(type => type !== 'points.changed')
    for (const eventType of [TYPE, ...types]) {
      const entry = { id: eventType.replaceAll(/[._]/g, '-'), name: eventType, eventType }
      await world.db.write(tx => upsertRule(tx, { ...entry, points: { fixed: 5 } }))
    }
  })

  /** The response for a fan whose account has room for this many points, and the number of booked points. */
  async function run(operationId: string, room: number | null) {
    const fan = await world.fan()
    const userId = await userIdOf(world, fan)
    const request = await operations[operationId]?.(world, fan)
    if (!request) throw new Error(`${operationId} has no line`)
    if (room !== null) {
      const { lifetime } = expectStatus(200, await fan.get('/api/user/points'))
      const delta = Number.MAX_SAFE_INTEGER - room - lifetime
      await world.db.write(tx => appendEntry(tx, { userId, delta, reason: 'opening_balance', ref: 'import' }))
    }
    const countGrants = async () => {
      const { pointsEntries } = world.db.tables
      const entries = await world.db.read.select().from(pointsEntries).where(gt(pointsEntries.delta, 0))
      return entries.filter(entry => entry.userId === userId).length
    }
    const before = await countGrants()
    const answer = await request.send()
    return { answer, booked: (await countGrants()) - before }
  }

  test('refuses its own points with points_limit_reached if the document says so, and succeeds without points of rules', async () => {
    const booking: string[] = []
    const refusing: string[] = []
    for (const operationId of Object.keys(operations)) {
      const { answer, booked } = await run(operationId, null)
      const full = await run(operationId, ROOM)
      expect([operationId, codeOf(answer)]).toEqual([operationId, undefined])
      if (booked > 0) booking.push(operationId)
      const code = codeOf(full.answer)
      if (code === LIMIT) refusing.push(operationId)
      else expect([operationId, code]).toEqual([operationId, undefined])
      expect([operationId, full.booked]).toEqual([operationId, 0])
    }
    const document = operationsOf(await readDocument(world))
    const declared = document.filter(({ operation }) =>
      JSON.stringify(operation.responses).includes('PointsLimitReachedProblem'),
    )
    expect(refusing.toSorted()).toEqual(declared.map(({ operation }) => operation.operationId).toSorted())
    expect(booking.filter(operationId => !refusing.includes(operationId)).length).toBeGreaterThan(3)
  })
})
