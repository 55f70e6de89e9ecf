/** Metrics after requests, writes, events, calls of the provider and deliveries. */
import { afterEach, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import product from '../../../package.json'
import { readCommit } from '../../../src/core/commit.ts'
import { disableEndpoint } from '../../../src/delivery/webhooks/endpoints.ts'
import { applicationEvent } from '../../../src/economy/events/record-event.ts'
import { openRecording } from '../../../src/economy/events/recording.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { decide } from '../../../src/fan/moderation/cases.ts'
import { decideNotice } from '../../../src/fan/moderation/notices.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { recordRun } from '../../../src/platform/jobs/maintenance.ts'
import { divisionKind } from '../../../src/play/divisions/division-kind.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { answerQuestion, closeQuestion } from '../../../src/play/questions/change.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { startReceiver } from '../../delivery/webhooks/receiver.ts'
import {
  addReceiver,
  dispatcherOf,
  distributeAll,
  drain,
  happen,
  newFan,
  removeEndpoints,
} from '../../delivery/webhooks/webhooks-world.ts'
import { control } from '../../identity/auth/provider-controls.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus, patientFan } from '../../play/packs/packs-world.ts'
import { addQuestion, MINUTE, settleAll, vote } from '../../play/questions/questions-world.ts'
import { addStock, buyWithMoney, checkout, completeOrder, HOLD, pay } from '../../play/shop/orders-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { promtool, testWithPromtool } from './promtool.ts'
import { type Scrape, scrape } from './scrape.ts'

onEachEngine(
  'Metrics',
  world => {
    /** The growth of series during `act`. */
    async function growth(act: () => Promise<unknown>, ...series: string[]): Promise<number[]> {
      const before = await scrape(world)
      await act()
      const after = await scrape(world)
      return series.map(name => after.value(name) - before.value(name))
    }
    /** Reads the backlogs again. A scrape does not wait for a slow read, whose value the next one has. */
    const freshScrape = (): Promise<Scrape> => {
      world.clock.advance(60_000)
      return waitUntil('the backlogs are read', async () => {
        const scraped = await scrape(world)
        return scraped.value('matchday_backlog_read_success') === 1 && scraped
      })
    }
    afterEach(() => control(world, 'DELETE', '/faults'))

    test('the metrics show that a process is not ready, check by check', async () => {
      const ready = async () => {
        const scraped = await scrape(world)
        return ['database', 'identityProvider', 'process'].map(check =>
          scraped.value(`matchday_ready{check="${check}"}`),
        )
      }
      await world.deps.identity.refresh()
      expect(await ready()).toEqual([1, 1, 1])
      world.deps.lifecycle.stopping = true
      expect(await ready()).toEqual([1, 1, 0])
      world.deps.lifecycle.stopping = false
    })

    test('the clock of a process is compared with that of the database and of the provider', async () => {
      const before = await scrape(world)
      world.clock.set(600_000)
      const after = await scrape(world)
      const skews = (scraped: Scrape) => scraped.value('matchday_clock_skew_seconds{against="database"}')
      const moved = skews(after) - skews(before)
      world.clock.set(-600_000)
      expect(Math.round(moved / 10) * 10).toBe(world.db.engine === 'sqlite' ? 0 : 600)
    })

    test('rows whose key was dropped are counted', async () => {
      await buyWithMoney(await patientFan(world), await addStock(world, 1))
      const { orders } = world.db.tables
      const series = 'matchday_unreadable_rows{column="orders.address"}'
      const rows = async () => {
        world.clock.advance(600_000)
        return waitUntil('the rows are counted', async () => (await scrape(world)).value(series))
      }
      await world.db.write(tx => tx.update(orders).set({ address: 'of-a-key-that-is-gone' }))
      expect(await rows()).toBeGreaterThan(0)
    })

    test('responses are counted by operation and status code, and timed by operation', async () => {
      const fan = await world.fan()
      const grown = await growth(
        async () => {
          await fan.get('/api/rewards')
          await fan.get('/api/rewards')
          const headers = { authorization: `Bearer ${fan.token}` }
          await world.app.handle(new Request('http://localhost/api/rewards', { method: 'HEAD', headers }))
          await world.anonymous.get('/api/rewards')
          await world.anonymous.get('/api/packs/none-of-this-name')
        },
        'matchday_http_requests_total{operation="listRewards",code="200"}',
        'matchday_http_requests_total{operation="listRewards",code="401"}',
        'matchday_http_requests_total{operation="readPack",code="404"}',
        'matchday_http_request_duration_seconds_count{operation="listRewards"}',
      )
      expect(grown).toEqual([3, 1, 1, 4])
    })

    test('requests that reach no operation share one label, whatever their path', async () => {
      const before = await scrape(world)
      for (let n = 0; n < 5; n++) await world.anonymous.get(`/api/unknown-${n}`)
      await world.anonymous.post('/api/teams')
      const after = await scrape(world)
      const series = (code: number) => `matchday_http_requests_total{operation="none",code="${code}"}`
      expect(after.value(series(404)) - before.value(series(404))).toBe(5)
      expect(after.value(series(405)) - before.value(series(405))).toBe(1)
      expect(after.text).not.toContain('unknown-')
    })

    test('events, ledger entries and points are counted once they are committed', async () => {
      const fan = await world.fan()
      const grown = await growth(
        async () => {
          await fan.post('/api/user/onboarding', {})
          await world.grant(fan, -30)
        },
        'matchday_events_recorded_total{type="onboarding.completed"}',
        'matchday_ledger_entries_total{reason="onboarding"}',
        'matchday_ledger_points_total{reason="onboarding",direction="granted"}',
        'matchday_ledger_points_total{reason="adjustment",direction="taken"}',
      )
      expect(grown).toEqual([1, 1, 100, 30])
    })

    test('events and entries that are written in bulk are counted one by one', async () => {
      const userIds = [await newFan(world), await newFan(world)]
      // Loads the listeners first: otherwise events are written one after another.
      for (const userId of userIds) await happen(world, userId)
      const grown = await growth(
        () =>
          world.db.write(async tx => {
            const { ledgers, record, write } = await openRecording(tx, userIds)
            const type = 'profile.completed'
            for (const userId of userIds) {
              ledgers.append({ userId, delta: 10, reason: 'prediction', ref: 'm1' })
              await record(applicationEvent(tx, { userId, type, eventId: `done ${userId}`, data: {} }))
            }
            await write()
          }),
        'matchday_events_recorded_total{type="profile.completed"}',
        'matchday_ledger_entries_total{reason="prediction"}',
        'matchday_ledger_points_total{reason="prediction",direction="granted"}',
      )
      expect(grown).toEqual([2, 2, 20])
    })

    test('rolled-back units of work are not counted', async () => {
      const userId = await newFan(world)
      const rollBack = () =>
        world.db
          .write(async tx => {
            await appendEntry(tx, { userId, delta: 7, reason: 'activity', ref: 'once' })
            throw new Error('rolled back')
          })
          .catch(() => {})
      const grown = await growth(rollBack, 'matchday_ledger_entries_total{reason="activity"}')
      expect(grown).toEqual([0])
    })

    test('types of other systems have at most 100 labels', async () => {
      const userId = await newFan(world)
      await Promise.all(
        Array.from({ length: 120 }, (_, n) => happen(world, userId, { type: `gate.n${n}`, source: 'gates' })),
      )
      const types = (await scrape(world)).labels('matchday_events_recorded_total', 'type')
      expect(types.filter(type => type.startsWith('gate.'))).toHaveLength(100)
      expect((await scrape(world)).value('matchday_events_recorded_total{type="other"}')).toBe(20)
    })

    test('units of work are timed; on SQLite batches and fsyncs, on PostgreSQL the pool', async () => {
      const fan = await world.fan()
      const grown = await growth(
        () =>
          fan
            .patch('/api/user/profile', { displayName: 'A' })
            .then(() => fan.post('/api/user/onboarding', {})),
        'matchday_database_write_duration_seconds_count',
        'matchday_database_commit_units_count',
        'matchday_database_fsync_duration_seconds_count',
      )
      const commits = world.db.engine === 'sqlite'
      expect(grown.map(count => count > 0)).toEqual([true, commits, commits])
      const { value } = await scrape(world)
      expect(value('matchday_database_pool_size{server="primary"}') > 0).toBe(!commits)
      expect(value('matchday_database_writes_pending')).toBe(0)
    })

    test('a unit of work that runs is pending, and on PostgreSQL holds a connection', async () => {
      const [running, finish] = [Promise.withResolvers<Scrape>(), Promise.withResolvers<void>()]
      const writing = world.db.write(async () => {
        running.resolve(await scrape(world))
        await finish.promise
      })
      const { value } = await running.promise
      finish.resolve()
      await writing
      expect(value('matchday_database_writes_pending')).toBe(1)
      expect(value('matchday_database_pool_use{server="primary",state="transaction"}')).toBe(
        world.db.engine === 'sqlite' ? 0 : 1,
      )
    })

    test('look-ups in caches are counted by result', async () => {
      const fan = await world.fan()
      const grown = await growth(
        async () => {
          for (let n = 0; n < 3; n++) await fan.get('/api/rewards')
        },
        'matchday_cache_requests_total{cache="session_tokens",result="miss"}',
        'matchday_cache_requests_total{cache="session_tokens",result="hit"}',
      )
      expect(grown).toEqual([1, 2])
    })

    test('requests to the identity provider are counted by result, and the circuit is shown', async () => {
      const fan = await world.fan()
      const ok = 'matchday_identity_provider_requests_total{endpoint="userinfo",result="ok"}'
      const failed = 'matchday_identity_provider_requests_total{endpoint="userinfo",result="unavailable"}'
      const pull = () => fan.post('/api/user/sync-mock-idp')
      expect(await growth(pull, ok, failed)).toEqual([1, 0])
      expect((await scrape(world)).value('matchday_identity_provider_keys_usable')).toBe(1)
      expect((await scrape(world)).value('matchday_identity_provider_circuit{state="closed"}')).toBe(1)

      await control(world, 'POST', '/faults', { match: 'userinfo', kind: 'status', status: 503 })
      // Two requests each; the circuit opens at the fifth, and lets another through once it has been open for a while.
      const [succeeded, unavailable] = await growth(() => pull().then(pull).then(pull), ok, failed)
      expect([succeeded, Number(unavailable) >= 5]).toEqual([0, true])
      const { value } = await scrape(world)
      const circuit = (state: string) => value(`matchday_identity_provider_circuit{state="${state}"}`)
      expect([circuit('closed'), circuit('open') + circuit('half_open')]).toEqual([0, 1])
    })

    test('open streams are shown', async () => {
      const { token } = await world.fan()
      const response = await world.app.handle(
        new Request('http://localhost/api/stream?topics=me', {
          headers: { authorization: `Bearer ${token}` },
        }),
      )
      expect((await scrape(world)).value('matchday_streams_open')).toBe(1)
      await response.body?.cancel()
      expect((await scrape(world)).value('matchday_streams_open')).toBe(0)
    })

    test('the backlog of webhooks and its age are shown until the deliveries arrive', async () => {
      const receiver = startReceiver()
      const endpoint = await addReceiver(world, receiver, ['reward.claimed'])
      const pending = `matchday_webhook_pending_deliveries{endpoint="${endpoint.id}"}`
      const age = `matchday_webhook_oldest_pending_age_seconds{endpoint="${endpoint.id}"}`
      await happen(world, await newFan(world))
      await happen(world, await newFan(world))
      const waiting = await freshScrape()
      expect(waiting.value('matchday_events_awaiting_distribution')).toBe(2)
      expect(waiting.value('matchday_events_oldest_awaiting_age_seconds')).toBe(60)
      await distributeAll(world)
      const behind = await freshScrape()
      expect(behind.value('matchday_events_awaiting_distribution')).toBe(0)
      expect([behind.value(pending), behind.value(age)]).toEqual([2, 120])
      expect(behind.value('matchday_webhook_endpoints{state="enabled"}')).toBe(1)

      const dispatcher = dispatcherOf(world)
      const delivered = 'matchday_webhook_attempts_total{outcome="delivered"}'
      const retried = 'matchday_webhook_attempts_total{outcome="pending"}'
      receiver.behave((_, count) => (count === 1 ? { kind: 'status', status: 500 } : undefined))
      const before = await scrape(world)
      const send = async () => {
        await drain(world, dispatcher)
        // Attempts are counted after the commit that a reader sees.
        await waitUntil(
          'the delivered attempt is counted',
          async () => (await scrape(world)).value(delivered) > before.value(delivered),
        )
      }
      expect(await growth(send, delivered, retried)).toEqual([1, 1])
      expect((await freshScrape()).value(pending)).toBe(1)
      await drain(world, dispatcher)
      const done = await freshScrape()
      expect([done.value(pending), done.value(age), done.value('matchday_backlog_read_success')]).toEqual([
        0, 0, 1,
      ])
      await dispatcher.stop()
      await receiver.stop()
    })

    test('open reports and the age of the oldest are shown until a moderator decides', async () => {
      const [open, age] = ['matchday_reports_open', 'matchday_reports_oldest_open_age_seconds']
      const none = await freshScrape()
      expect([none.value(open), none.value(age)]).toEqual([0, 0])
      const [reporter, fan, other] = [await namedFan(world), await namedFan(world), await namedFan(world)]
      for (const { handle } of [fan, other]) {
        const subject = { kind: 'fan', id: handle }
        expect((await reporter.post('/api/reports', { subject, reason: 'spam' })).status).toBe(201)
        world.clock.advance(30_000)
      }
      const waiting = await freshScrape()
      expect([waiting.value(open), waiting.value(age)]).toEqual([2, 120])
      const dismissal = { kind: 'dismiss', reason: 'other', decidedBy: 'Ana' } as const
      await world.db.write(tx => decide(tx, fan.id, dismissal))
      const fewer = await freshScrape()
      expect([fewer.value(open), fewer.value(age)]).toEqual([1, 150])
      await world.db.write(tx => decide(tx, other.id, dismissal))
      const done = await freshScrape()
      expect([done.value(open), done.value(age)]).toEqual([0, 0])
    })

    test('open notices and the age of the oldest are shown until a moderator decides', async () => {
      const [open, age] = ['matchday_notices_open', 'matchday_notices_oldest_open_age_seconds']
      const none = await freshScrape()
      expect([none.value(open), none.value(age)]).toEqual([0, 0])
      const notifier = { name: 'Ana', email: 'ana@example.com', goodFaith: true }
      const notice = { category: 'hate', location: 'A forum of fans', explanation: 'It incites hatred.' }
      expect((await world.anonymous.post('/api/notices', { ...notice, ...notifier })).status).toBe(201)
      world.clock.advance(60_000)
      const waiting = await freshScrape()
      expect([waiting.value(open), waiting.value(age)]).toEqual([1, 120])
      const { contentNotices } = world.db.tables
      const [filed] = await world.db.read.select().from(contentNotices)
      if (!filed) throw new Error('there is no notice')
      const decision = { actionTaken: false, answer: 'It incites nobody.', decidedBy: 'Ana' }
      await world.db.write(tx => decideNotice(tx, filed.id, decision))
      const done = await freshScrape()
      expect([done.value(open), done.value(age)]).toEqual([0, 0])
    })

    test('open questions are shown, and votes that an answer has not settled, with their age', async () => {
      const names = [
        'matchday_questions_open',
        'matchday_votes_to_settle',
        'matchday_votes_to_settle_oldest_age_seconds',
      ]
      const values = async () => {
        const scraped = await freshScrape()
        return names.map(name => scraped.value(name))
      }
      expect(await values()).toEqual([0, 0, 0])
      const [one, two] = [await patientFan(world), await patientFan(world)]
      const id = await addQuestion(world, {
        points: 5,
        closesAt: new Date(world.clock.ms + 60 * MINUTE).toISOString(),
      })
      for (const fan of [one, two]) await vote(fan, id, 'home')
      expect(await values()).toEqual([1, 0, 0])
      await world.db.write(tx => closeQuestion(tx, id))
      await world.db.write(tx => answerQuestion(tx, id, 'home'))
      world.clock.advance(30_000)
      const [open, left, age] = await values()
      expect([open, left]).toEqual([0, 2])
      expect(age).toBeGreaterThanOrEqual(30)
      await settleAll(world)
      expect(await values()).toEqual([0, 0, 0])
    })

    test('leagues and divisions that wait are shown, with their age', async () => {
      const names = [
        'matchday_leagues_due',
        'matchday_leagues_due_oldest_age_seconds',
        'matchday_division_periods_due',
        'matchday_division_periods_due_oldest_age_seconds',
      ]
      const values = async () => {
        const scraped = await freshScrape()
        return names.map(name => scraped.value(name))
      }
      expect(await values()).toEqual([0, 0, 0, 0])
      const id = 'of-metrics'
      await world.db.write(async tx => {
        const levels = [{ id: 'only', name: 'Only' }]
        await divisionKind.upsert(tx, { id, name: 'Metrics', levels })
        const { divisionPeriods, leagues } = tx.tables
        const at = (ms: number) => new Date(world.clock.ms + ms)
        const period = { divisionId: id, scoring: 'points', size: 2, levels: JSON.stringify(levels) }
        // Points can change until a minute after the end.
        await tx.insert(divisionPeriods).values({ ...period, startsAt: at(-1000), endsAt: at(1000) })
        const owner = await ensureUser(tx, { provider: 'mock-idp', subject: id })
        const league = { id, name: id, code: id, ownerId: owner.user.id, scoring: 'points', board: 'all' }
        const counting = { countFrom: 'join', locked: false, members: 1, createdAt: at(0) }
        await tx.insert(leagues).values({ ...league, ...counting, dueAt: at(1000) })
      })
      // A minute passes before each scrape.
      expect(await values()).toEqual([1, 59, 0, 0])
      expect(await values()).toEqual([1, 119, 1, 59])
      await world.db.write(async tx => {
        const { divisionPeriods, leagues } = tx.tables
        await tx.delete(leagues).where(eq(leagues.id, id))
        await tx.delete(divisionPeriods).where(eq(divisionPeriods.divisionId, id))
        await divisionKind.deactivate(tx, id)
      })
      expect(await values()).toEqual([0, 0, 0, 0])
    })

    test('the money of held orders and of due refunds is shown, with the age of the oldest', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const productId = await addStock(world, 1)
      const { id } = expectStatus(201, await checkout(fan, productId))
      const age = 'matchday_refunds_due_oldest_age_seconds'
      const held = await freshScrape()
      expect(held.value('matchday_orders_held_amount{currency="EUR"}')).toBe(1900)
      expect(held.value(age)).toBe(0)
      world.clock.advance(HOLD)
      await buyWithMoney(other, productId)
      expect((await completeOrder(fan, id, await pay(fan, id))).status).toBe(409)
      world.clock.advance(90_000)
      const due = await freshScrape()
      expect(due.value('matchday_refunds_due_amount{currency="EUR"}')).toBe(1900)
      expect(due.value(age)).toBeGreaterThanOrEqual(90)
      await world.db.write(tx => refund(tx, orderKind, id))
      expect((await freshScrape()).value(age)).toBe(0)
    })

    test('a disabled endpoint has no backlog, and is counted as disabled', async () => {
      const receiver = startReceiver()
      const endpoint = await addReceiver(world, receiver, ['*'])
      await happen(world, await newFan(world))
      await distributeAll(world)
      const pending = `matchday_webhook_pending_deliveries{endpoint="${endpoint.id}"}`
      expect((await freshScrape()).value(pending)).toBe(1)
      await world.db.write(tx => disableEndpoint(tx, endpoint.id, 'operator'))
      const { text, value } = await freshScrape()
      expect(text).not.toContain(endpoint.id)
      expect(value('matchday_webhook_endpoints{state="disabled"}')).toBe(1)
      await removeEndpoints(world)
      await receiver.stop()
    })

    test('the metrics contain the version and the commit of the build', async () => {
      const { text } = await freshScrape()
      const [, labels = ''] = /^matchday_build_info\{(.+)\} 1$/m.exec(text) ?? []
      expect(labels).toContain(`version="${product.version}",commit="${readCommit()}",bun="${Bun.version}"`)
    })

    test('the ages of the last backup and of clean verifications are missing until there is one', async () => {
      const ages = async () => {
        const { text } = await freshScrape()
        return [...text.matchAll(/^matchday_(?:backup|clean_verification)_age_seconds.*$/gm)].map(
          ([line]) => line,
        )
      }
      expect(await ages()).toEqual([])
      await world.db.write(tx => recordRun(tx, 'backup'))
      await world.db.write(tx => recordRun(tx, 'verify-quests'))
      expect(await ages()).toEqual([
        'matchday_backup_age_seconds 60',
        'matchday_clean_verification_age_seconds{command="verify-quests"} 60',
      ])
      await world.db.write(tx => recordRun(tx, 'backup'))
      expect((await ages())[0]).toBe('matchday_backup_age_seconds 60')
    })

    test('no data of a fan appears', async () => {
      const fan = await world.fan()
      const { body } = await fan.post('/api/user/onboarding', { profile: { handle: 'secret_handle' } })
      await fan.post('/api/user/sync-mock-idp')
      const { body: profile } = await fan.get('/api/user/profile')
      const { text } = await scrape(world)
      expect(body.state).toBe('completed')
      for (const secret of [fan.token, fan.subject, profile.id, profile.identity.email, 'secret_handle'])
        expect(text).not.toContain(secret)
    })

    testWithPromtool('promtool accepts names, help and format', async () => {
      expect(await promtool(['check', 'metrics'], (await scrape(world)).text)).toBe('')
    })

    test('the port of the API has no metrics, and that of the metrics nothing else', async () => {
      expect((await world.anonymous.get('/metrics')).status).toBe(404)
      const ask = (path: string, method = 'GET') => fetch(new URL(path, world.metricsUrl), { method })
      expect((await ask('/api/teams')).status).toBe(404)
      expect((await ask('/metrics', 'POST')).status).toBe(405)
      expect((await ask('/metrics')).headers.get('content-type')).toBe(
        'text/plain; version=0.0.4; charset=utf-8',
      )
    })
  },
  { env: { METRICS_PORT: '0' } },
)
