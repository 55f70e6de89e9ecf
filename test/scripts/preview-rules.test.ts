/** `bun run preview-rules` as a command. */
import { expect, test } from 'bun:test'
import { addFan, unique } from '../economy/rules/rules-world.ts'
import { dump } from '../support/dump.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

const DAY = 86_400_000

/** A rule whose limits and budget refuse some of the events below. */
const spending = {
  id: 'spending',
  name: 'A point per euro',
  eventType: 'shop.purchase',
  when: [{ path: '/currency', op: 'eq', value: 'EUR' }],
  points: { per: '/amount', every: 100, points: 1 },
  limit: { count: 2, per: 'ever' },
  budget: 60,
}
const visits = { id: 'visits', name: 'A visit', eventType: 'ticket.scanned', points: { fixed: 50 } }

for (const engine of engines) {
  onEngine(
    engine,
    'bun run preview-rules',
    world => {
      const run = (rules: object[], ...parameters: string[]) =>
        runScript('preview-rules', ['-', ...parameters], {
          env: { DATABASE_URL: world.databaseUrl ?? '' },
          input: JSON.stringify({ rules }),
        })

      const start = Date.now()
      let stored = 0

      interface Stored {
        userId: string
        sequence: number
        type?: string
        data?: object | null
        /** Days ago. */
        age?: number
        voided?: boolean
        decisions?: object[]
      }

      async function store({ userId, sequence, type = 'shop.purchase', data = {}, ...rest }: Stored) {
        // In the order of these calls. The command has the clock of the machine.
        const at = new Date(start - (rest.age ?? 1) * DAY - 3_600_000 + stored++)
        await world.db.write(tx =>
          tx.insert(tx.tables.events).values({
            source: 'shop',
            eventId: unique('event'),
            userId,
            sequence,
            type,
            occurredAt: at,
            recordedAt: at,
            data: data && JSON.stringify(data),
            decisions: rest.decisions ? JSON.stringify(rest.decisions) : null,
            voidedAt: rest.voided ? at : null,
          }),
        )
      }
      const euros = (amount: number) => ({ data: { currency: 'EUR', amount } })

      test('shows what each rule would have granted, and writes nothing', async () => {
        const [first, second] = [await addFan(world), await addFan(world)]
        const granted = {
          ruleId: 'spending',
          version: 1,
          outcome: 'granted',
          points: 7,
          window: null,
          budgeted: false,
        }
        await store({ userId: first, sequence: 1, ...euros(2_050), decisions: [granted] })
        await store({ userId: first, sequence: 2, data: { currency: 'GBP', amount: 2_050 } })
        await store({ userId: first, sequence: 3, ...euros(3_000) })
        await store({ userId: first, sequence: 4, ...euros(100) })
        await store({ userId: second, sequence: 1, ...euros(1_100) })
        await store({ userId: second, sequence: 2, ...euros(99) })
        await store({ userId: second, sequence: 3, ...euros(5_000), voided: true })
        await store({ userId: second, sequence: 4, ...euros(5_000), age: 31 })
        await store({ userId: second, sequence: 5, data: null })
        await store({ userId: second, sequence: 6, type: 'ticket.scanned' })
        await store({ userId: second, sequence: 7, type: 'newsletter.subscribed' })
        const rows = await dump(world.db)

        const { code, out, err } = await run([spending, visits])
        expect([code, err.replaceAll(/^.*events.*$\n?/gm, '')]).toEqual([0, ''])
        expect(out.split('\n')).toEqual([
          'spending: would have granted 50 points for 2 of 6 events, to 1 fan',
          '    1 did not meet a condition',
          '    1 were worth no points',
          '    1 exceeded its limit',
          '    1 did not fit into its budget',
          '    granted so far: 7 points',
          'visits: would have granted 50 points for 1 of 1 events, to 1 fan',
          '    granted so far: 0 points',
          'In 30 days these rules would have granted 100 points; rules of these ids granted 7.',
          '',
        ])
        const week = JSON.parse(
          (await run([{ ...spending, limit: null, budget: null }], '--days', '40', '--json')).out,
        )
        expect(week.rules).toMatchObject([
          { ruleId: 'spending', events: 7, granted: 5, points: 112, fans: 2 },
        ])
        expect(await dump(world.db)).toEqual(rows)
      })

      test('refuses a file with errors, or without active rules', async () => {
        const broken = await run([{ ...spending, timeZone: 'Europe/Atlantis' }])
        expect([broken.code, broken.out]).toEqual([
          1,
          'line 1: /rules/0/timeZone must be an IANA time zone like Europe/London\n1 error; nothing was written.\n',
        ])
        const inactive = await run([{ ...spending, active: false }])
        expect([inactive.code, inactive.err]).toEqual([1, '- has no active rules.\n'])
      })
    },
    { worldPer: 'test' },
  )
}
