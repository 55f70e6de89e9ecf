/** Events are written in short when every older version has ended, and both forms are read. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyEventsOf } from '../../../src/audit/points/verify-events.ts'
import { deleteEventData } from '../../../src/economy/events/delete-data.ts'
import { exportEvents } from '../../../src/economy/events/personal-data.ts'
import { recordEvents } from '../../../src/economy/events/record-events.ts'
import { readRuleHistory } from '../../../src/economy/rules/rule-history.ts'
import { newType, userIdOf } from '../../play/quests/quests-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { addRule } from '../rules/rules-world.ts'

const forms = [
  { name: 'long', foldsFrom: null, decisions: /^\[\{"ruleId"/, digest: /^[0-9a-f]{64}$/ },
  {
    name: 'short',
    foldsFrom: new Date(0),
    decisions: /^\[\["[^"]+",\d+,10,"ever"\],\["[^"]+",\d+,5,null,true\]\]$/,
    digest: /^[\w-]{22}$/,
  },
]

onEachEngine(
  'The short form of an event',
  world => {
    const writeIn = ({ foldsFrom }: { foldsFrom: Date | null }) =>
      world.db.write(tx => tx.update(tx.tables.catalogueVersions).set({ foldsFrom }))

    /** A fan with an event in each form, each with two grants. */
    async function earn() {
      const type = newType()
      const limit = { count: 5, per: 'ever' } as const
      await addRule(world, {
        id: `a-${type.replace('.', '-')}`,
        eventType: type,
        points: { fixed: 10 },
        limit,
      })
      await addRule(world, {
        id: `b-${type.replace('.', '-')}`,
        eventType: type,
        points: { fixed: 5 },
        budget: 1_000,
      })
      const userId = await userIdOf(world, await world.fan())
      const report = async (id: string, n: number) => {
        const occurredAt = world.clock.now().toISOString()
        const event = { id: `${userId}-${id}`, type, occurredAt, fan: { userId }, data: { n } }
        const { results } = await recordEvents(world.db.write, world.deps, 'shop', { events: [event] })
        return results
      }
      const rows = async () => {
        const { events } = world.db.tables
        const own = await world.db.read
          .select()
          .from(events)
          .where(eq(events.userId, userId))
          .orderBy(events.sequence)
        return own.filter(row => row.type === type)
      }
      for (const form of forms) {
        await writeIn(form)
        await report(form.name, 1)
      }
      return { userId, report, rows }
    }

    test('has short decisions and a short digest', async () => {
      const { rows } = await earn()
      expect(await rows()).toEqual(
        forms.map(({ decisions, digest }) =>
          expect.objectContaining({
            decisions: expect.stringMatching(decisions),
            digest: expect.stringMatching(digest),
          }),
        ),
      )
    })

    test('is recognised when it is reported again, whatever the form is by then', async () => {
      const { report } = await earn()
      for (const now of forms) {
        await writeIn(now)
        for (const { name } of forms) {
          expect(await report(name, 1)).toMatchObject([
            { outcome: 'duplicate', grants: [{ points: 10 }, { points: 5 }] },
          ])
          expect(await report(name, 2)).toMatchObject([{ outcome: 'refused', code: 'event_id_reused' }])
        }
      }
    })

    test('is verified and exported as the long one', async () => {
      const { userId } = await earn()
      const history = await readRuleHistory(world.db.read)
      const found = await Array.fromAsync(verifyEventsOf(world.db.read, { only: userId }, history))
      expect(found.flatMap(({ findings }) => findings)).toEqual([])
      const [long, short] = (await Array.fromAsync(exportEvents(world.db.read, userId))).filter(
        ({ source }) => source === 'shop',
      )
      expect(JSON.stringify(short?.decisions)).toBe(JSON.stringify(long?.decisions))
      expect(long?.decisions).toHaveLength(2)
    })

    test('keeps its id when the data of the fan is deleted, since the ledger names it', async () => {
      const { userId, rows } = await earn()
      const ids = (await rows()).map(({ eventId }) => eventId)
      await world.db.write(tx => deleteEventData(tx, userId))
      expect((await rows()).map(({ eventId }) => eventId)).toEqual(ids)
    })
  },
  { worldPer: 'test' },
)
