/** The cost of an event with many rules: rules for other types are neither evaluated nor read. */
import { expect, spyOn, test } from 'bun:test'
import { readVersion } from '../../../src/club/catalogue/versions.ts'
import { openLedgers } from '../../../src/economy/points/ledger.ts'
import { openRules, type RuledEvent } from '../../../src/economy/rules/apply-rules.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addFan, newEvent, ruleEntry } from './rules-world.ts'

const TYPES = 50
const RULES = 1_000

/** Statements of evaluating an event, and how often its data is read: once per condition. */
async function costOf({ db }: World, event: RuledEvent) {
  let reads = 0
  const data = {
    get channel() {
      reads++
      return 'gate'
    },
  }
  return db.write(async tx => {
    const version = await readVersion(tx)
    if (!version) throw new Error('there are rules')
    const rules = await openRules(tx, version, await openLedgers(tx, [event.userId]), async () => true)
    const asked = spyOn(tx.statements, 'get')
    const built = [spyOn(tx, 'select'), spyOn(tx, 'insert'), spyOn(tx, 'update')]
    try {
      const decisions = await rules.apply({ ...event, data })
      await rules.write()
      const statements = [asked, ...built].reduce((sum, spy) => sum + spy.mock.calls.length, 0)
      return { statements, evaluated: reads, granted: decisions?.length }
    } finally {
      for (const spy of [asked, ...built]) spy.mockRestore()
    }
  })
}

onEachEngine(
  'An event',
  world => {
    /** Rules of one type: all except the last require another channel. */
    const importRules = (from: number, to: number) =>
      world.db.write(async tx => {
        for (let n = from; n < to; n++) {
          const value = n < TYPES ? 'gate' : 'shop'
          const when = [{ path: '/channel', op: 'eq' as const, value }]
          await upsertRule(
            tx,
            ruleEntry({ eventType: `test.type-${n % TYPES}`, when, limit: { count: 9, per: 'day' } }),
          )
        }
      })

    const counting = test.skipIf(countsAttempts !== '')
    counting(
      `with 1,000 rules of 50 types takes the statements of one rule, and evaluates those of its type${countsAttempts}`,
      async () => {
        const userId = await addFan(world)
        const event = () => newEvent({ userId, type: 'test.type-0' })
        await importRules(0, 1)
        // The first event reads the rules, and prepares statements.
        await costOf(world, event())
        const one = await costOf(world, event())
        expect(one).toMatchObject({ evaluated: 1, granted: 1 })

        await importRules(1, RULES)
        await costOf(world, event())
        expect(await costOf(world, event())).toEqual({ ...one, evaluated: RULES / TYPES })
        expect(await costOf(world, newEvent({ userId, type: 'test.unheard' }))).toEqual({
          statements: 0,
          evaluated: 0,
          granted: undefined,
        })
      },
    )
  },
  { worldPer: 'test' },
)
