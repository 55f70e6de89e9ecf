/** The overview: figures by day, sums of the period before, what waits, and the stream of figures as they are now. */
import { expect, test } from 'bun:test'
import { createLive } from '../../src/operate/console/overview/live.ts'
import { recordRun } from '../../src/platform/jobs/maintenance.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEachEngine, type World } from '../support/world.ts'
import { CONSOLE_ORIGIN, consoleOf } from './support.ts'

const DAY_MS = 86_400_000
const none = {
  ...{ newFans: 0, onboardings: 0, activeFans: 0, pointsGranted: 0, pointsSpent: 0, pointsTaken: 0 },
  ...{ claims: 0, redemptions: 0, orders: 0, packs: 0 },
}

/** Days that are over, kept as the background task does. */
async function keepDays({ db, clock }: World, count: number, figures: Partial<typeof none>): Promise<void> {
  for (let ago = 1; ago <= count; ago++) {
    const day = new Date(clock.ms - ago * DAY_MS).toISOString().slice(0, 10)
    await db.write(tx => tx.insert(tx.tables.dailyFigures).values({ day, ...none, ...figures }))
  }
}

onEachEngine(
  'The overview',
  world => {
    const console = consoleOf(world)
    const { as, signIn } = console

    test('shows 30 days up to today, without figures for days that are not counted', async () => {
      await keepDays(world, 3, { claims: 4, activeFans: 9 })
      const { status, body } = await as('editor').get('/api/overview')
      expect(status).toBe(200)
      expect(body.days).toHaveLength(30)
      expect(body.days.at(-1)).toEqual({ day: '2026-08-15', figures: none })
      expect(body.days.at(-2)).toEqual({ day: '2026-08-14', figures: { ...none, claims: 4, activeFans: 9 } })
      expect(body.days[0]).toEqual({ day: '2026-07-17', figures: null })
      expect(body.before).toBe(null)
    })

    test('sums as many days before, but not active fans, who are the same on several days', async () => {
      await keepDays(world, 13, { claims: 2, pointsGranted: 100, activeFans: 5 })
      const { body } = await as('owner').get('/api/overview?days=7')
      expect(body.days).toHaveLength(7)
      expect(body.before).toEqual({ ...none, claims: 14, pointsGranted: 700 })
    })

    test('counts yesterday while it is not kept yet', async () => {
      const { body } = await as('owner').get('/api/overview?days=7')
      expect(body.days.at(-2)).toEqual({ day: '2026-08-14', figures: none })
      expect(body.days.at(-3).figures).toBe(null)
    })

    test('refuses a period other than the three', async () => {
      const { status, body } = await as('owner').get('/api/overview?days=31')
      expect([status, body.code]).toEqual([422, 'validation_failed'])
    })

    test('shows what is waiting, and the age of backups and verifications', async () => {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      await world.db.write(tx => recordRun(tx, 'backup'))
      await world.db.write(tx => recordRun(tx, 'verify-ledger'))
      const { body } = await as('finance').get('/api/overview/live')
      expect(body).toMatchObject({
        fans: 1,
        today: { day: '2026-08-15', onboardings: 1, activeFans: 1 },
        webhooks: { count: 0, since: null, endpoints: 0, disabled: 0 },
        refundsDue: { sums: [], since: null },
        reports: { count: 0, since: null },
        backupAt: '2026-08-15T18:30:00.000Z',
        verifications: [
          { command: 'verify-ledger', finishedAt: '2026-08-15T18:30:00.000Z' },
          { command: 'verify-quests', finishedAt: null },
        ],
      })
    })

    test('streams the figures when they change, and ends with the session', async () => {
      const session = await signIn('owner')
      const headers = { ...session.headers, accept: 'text/event-stream' }
      const response = await console.app.handle(
        new Request(`${CONSOLE_ORIGIN}/api/overview/live`, { headers }),
      )
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      const received: { fans: number }[] = []
      let ended = false
      const reading = (async () => {
        const decoder = new TextDecoder()
        for await (const chunk of response.body ?? [])
          for (const line of decoder.decode(chunk).split('\n'))
            if (line.startsWith('data: ')) received.push(JSON.parse(line.slice(6)))
        ended = true
      })()
      await waitUntil('the first figures', () => received.length === 1)
      expect(received[0]?.fans).toBe(0)
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      world.clock.advance(60_000)
      await waitUntil('the changed figures', () => received.length === 2)
      expect(received[1]?.fans).toBe(1)
      expect(ended).toBe(false)
      await world.db.write(async tx => {
        await tx.update(tx.tables.consoleSessions).set({ endedAt: tx.now() })
      })
      await reading
      expect(ended).toBe(true)
    })

    test('a reader who goes while sessions are checked keeps no figures from the others', async () => {
      const live = createLive(world.deps)
      const going: ReadableStream<Uint8Array> = live.open(async () => {
        await going.cancel()
        return 'owner' as const
      })
      const staying = live.open(async () => 'owner').getReader()
      const { value } = await staying.read()
      await staying.cancel()
      expect(new TextDecoder().decode(value)).toStartWith('event: figures\n')
      expect(world.logged.join()).not.toContain('send live figures')
    })
  },
  { worldPer: 'test' },
)
