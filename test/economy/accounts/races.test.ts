/** Several processes act on the same accounts: each entry and each change of a tier counts once, and a task that was killed is resumed. */
import { expect, test } from 'bun:test'
import { eq, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { seasonKind } from '../../../src/club/seasons/season-kind.ts'
import { readFanTiers } from '../../../src/economy/accounts/fan-tiers.ts'
import { settleAccounts } from '../../../src/economy/accounts/settle.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { lockAccount } from '../../../src/economy/points/account.ts'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { addReward } from '../../play/eligibility/eligibility-world.ts'
import { actInProcesses } from '../../support/act-in-processes.ts'
import type { Step, Work } from '../../support/acting-process.ts'
import { engines } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { addAccount, addAccountRule, addSeasons, DAY } from './accounts-world.ts'
import { bestTier, ModelAccount, stateAfter, TIERS, toldChanges } from './model.ts'

for (const engine of engines) {
  onEngine(
    engine,
    'Processes that act on accounts',
    world => {
      const race = (works: Record<string, Work>) => actInProcesses(world, works)

      const addFan = async (n: number) =>
        world.db.write(async tx => (await ensureUser(tx, { provider: 'p', subject: `racer-${n}` })).user.id)

      const findings = async () => {
        const found: unknown[] = []
        await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
        return found
      }

      /** The clocks of the processes go. */
      const setClock = () => world.clock.set(Date.now() - world.clock.ms)

      test('entries, voids, grants, merges and tasks count once, and each change of a tier is told once', async () => {
        setClock()
        await addSeasons(world)
        const { seasons } = world.db.tables
        const ends = (await world.db.read.select().from(seasons)).map(({ endsAt }) => endsAt.getTime())
        ends.sort((a, b) => a - b)
        const windows = [{ seasons: 1 }, { seasons: 2 }]
        const accounts = await Promise.all(
          windows.map(async window => {
            const id = await addAccount(world, { window, tiers: TIERS })
            return { id, window, type: await addAccountRule(world, id) }
          }),
        )
        const userIds = await Promise.all(Array.from({ length: 4 }, (_, n) => addFan(n)))
        const rewardId = await addReward(world, {
          tier: { account: accounts[0]?.id ?? '', atLeast: 'silver' },
        })
        const models = userIds.map(() => accounts.map(() => new ModelAccount()))
        const earned: { eventId: string; fan: number; account: number; step: Step }[] = []
        for (const [fan, userId] of userIds.entries())
          for (const [account, { type }] of accounts.entries())
            for (const [n, days] of [0, 5, 20, 0, 30, 0].entries()) {
              const [eventId, points] = [`${fan}-${account}-${n}`, 30 + 10 * n]
              const at = world.clock.ms - days * DAY
              const occurredAt = new Date(at).toISOString()
              models[fan]?.[account]?.earn(eventId, points, at)
              earned.push({
                eventId,
                fan,
                account,
                step: { kind: 'earn', eventId, userId, type, points, occurredAt },
              })
            }
        const taken = earned.filter((_, n) => n % 3 === 0)
        for (const { fan, account, eventId } of taken) models[fan]?.[account]?.takeBack(eventId)
        const voids = taken.map(({ eventId }): Step => ({ kind: 'void', eventId }))
        const settle: Step = { kind: 'settle' }
        const claims = userIds.map((userId): Step => ({ kind: 'claim', userId, rewardId }))
        const own = (side: number) => earned.filter((_, n) => n % 2 === side).map(({ step }) => step)
        // Some voids come before their events, and both processes send each.
        const early = voids.slice(0, voids.length / 2)
        const first = await race({
          left: { steps: [...own(0), settle, ...early, ...claims] },
          right: { steps: [...early, ...claims, settle, ...own(1)] },
        })
        for (const outcomes of first)
          expect(Object.keys(outcomes)).toSatisfy((names: string[]) =>
            names.every(name => /^(earn|void|settle|claim|tier_required|already_claimed)$/.test(name)),
          )

        const [from = '', into = ''] = userIds
        const grants = userIds.slice(1).flatMap((userId, n) =>
          accounts.map(({ id }, account): Step => {
            models[n + 1]?.[account]?.earn(`grant-${n}-${account}`, 40, world.clock.ms)
            return { kind: 'grant', userId, account: id, ref: `grant-${n}-${account}`, delta: 40 }
          }),
        )
        for (const [n, model] of models[1]?.entries() ?? []) model.carry(models[0]?.[n])
        const second = await race({
          left: { steps: [...grants, settle, { kind: 'merge', from, into }, ...voids] },
          right: { steps: [...voids, ...grants, settle] },
        })
        expect(second).toMatchObject([{ merge: 1, grant: grants.length }, { grant: grants.length }])

        setClock()
        for (const [n, userId] of userIds.entries()) {
          const tiers = await readFanTiers(world.db.read, userId)
          for (const [index, { id, window }] of accounts.entries()) {
            const model = models[n]?.[index] as ModelAccount
            const held = tiers.find(({ account }) => account.id === id)
            const tier = bestTier(model, ends, window, world.clock.ms)
            const total = model.total(ends, window, world.clock.ms)
            expect([held?.total, held?.held.tierId ?? null]).toEqual([total, tier])
            expect(stateAfter(await toldChanges(world.db.read, userId, id))).toBe(tier)
          }
        }
        expect(await findings()).toEqual([])
      }, 300_000)

      test('a season that ends while fans earn has each entry once, and each change of a tier is told once', async () => {
        setClock()
        await addSeasons(world)
        const window = { seasons: 1 }
        const id = await addAccount(world, { window, tiers: TIERS })
        const type = await addAccountRule(world, id)
        const userIds = await Promise.all(Array.from({ length: 6 }, (_, n) => addFan(n)))
        const settle: Step = { kind: 'settle' }
        const eventIdOf = (side: string, n: number) => `${side}-${n}`
        const earn = (side: string) =>
          Array.from({ length: 180 }, (_, n): Step[] => {
            const userId = userIds[n % userIds.length] ?? ''
            const one = { eventId: eventIdOf(side, n), userId, type, points: 10, occurredAt: null }
            return [{ kind: 'earn', ...one }, ...(n % 20 === 0 ? [settle] : [])]
          }).flat()
        const voids = Array.from({ length: 60 }, (_, n): Step[] => [
          { kind: 'void', eventId: eventIdOf('left', 3 * n) },
          ...(n % 5 === 0 ? [settle] : []),
        ]).flat()
        const raced = race({
          left: { steps: earn('left') },
          right: { steps: earn('right') },
          // Some voids come before their events.
          staff: { steps: voids },
        })
        const { accountEntries, seasons } = world.db.tables
        const entries = () =>
          world.db.read.select().from(accountEntries).where(eq(accountEntries.accountId, id))
        await waitUntil('fans have earned', async () => (await entries()).length >= 60)
        const end = new Date()
        const begin = world.clock.ms
        await world.db.write(async tx => {
          const at = (days: number) => new Date(begin + days * DAY).toISOString()
          const endsAt = end.toISOString()
          await seasonKind.upsert(tx, { id: 'this', name: 'this', startsAt: at(-10), endsAt })
          await seasonKind.upsert(tx, { id: 'next', name: 'next', startsAt: endsAt, endsAt: at(190) })
        })
        await raced
        setClock()
        await settleAccounts(world)

        const ends = (await world.db.read.select().from(seasons)).map(({ endsAt }) => endsAt.getTime())
        ends.sort((a, b) => a - b)
        const booked = Map.groupBy(await entries(), ({ userId }) => userId)
        for (const userId of userIds) {
          const model = new ModelAccount()
          const own = booked.get(userId) ?? []
          for (const { ref, delta, countedAt } of own) model.earn(ref, delta, countedAt.getTime())
          const [held] = await readFanTiers(world.db.read, userId)
          const now = world.clock.ms
          const tier = bestTier(model, ends, window, now)
          expect([held?.total, held?.held.tierId ?? null]).toEqual([model.total(ends, window, now), tier])
          expect(stateAfter(await toldChanges(world.db.read, userId, id))).toBe(tier)
        }
        const { events } = world.db.tables
        const counted = await world.db.read.select().from(events).where(eq(events.type, type))
        const kept = counted.filter(({ voidedAt }) => voidedAt === null)
        const sum = [...booked.values()].flat().reduce((total, { delta }) => total + delta, 0)
        expect(sum).toBe(10 * kept.length)
        expect(await findings()).toEqual([])
      }, 300_000)

      test.skipIf(engine.name !== 'PostgreSQL')(
        'a claim that requires a tier and a grant to the account lock the fan’s ledgers in one order',
        async () => {
          setClock()
          const id = await addAccount(world, { window: null, tiers: TIERS })
          const [userId, other] = [await addFan(0), await addFan(1)]
          const grant = (tx: Transaction, ref: string, fan = userId) =>
            grantPoints(
              tx,
              { source: 'desk', provider: '' },
              { fan: { userId: fan }, delta: 500, ref, account: id },
            )
          await world.db.write(tx => grant(tx, 'before'))
          await world.db.write(tx => grant(tx, 'others', other))
          const rewardId = await addReward(world, { tier: { account: id, atLeast: 'silver' } })
          await world.db.write(tx =>
            upsertRule(tx, {
              ...{ id: 'claimed', name: 'Claimed', eventType: 'reward.claimed', account: id },
              points: { fixed: 10 },
            }),
          )
          let attempts = 0
          const locked = Promise.withResolvers<void>()
          const waits = Promise.withResolvers<void>()
          const granted = world.db.write(async tx => {
            attempts++
            await lockAccount(tx, userId)
            locked.resolve()
            await waits.promise
            await grant(tx, 'meanwhile')
          })
          await locked.promise
          const claimed = race({
            claimer: { steps: [{ kind: 'claim', userId, rewardId }], countsAttempts: true },
          })
          await waitUntil('the claim waits for a lock', async () => {
            const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
            return (await world.db.read.select().from(sql`(${waiting}) as waiting`)).length > 0
          })
          waits.resolve()
          await granted
          expect([attempts, ...(await claimed)]).toEqual([1, { claim: 1, attempts: 1 }])
          const [first] = await readFanTiers(world.db.read, userId)
          expect(first?.total).toBe(1_010)
          expect(await findings()).toEqual([])
        },
      )

      test('tiers fall after a season once, in any process, also after a process was killed', async () => {
        setClock()
        await addSeasons(world)
        const id = await addAccount(world, { tiers: [{ id: 'silver', name: 'Silver', from: 100 }] })
        const type = await addAccountRule(world, id)
        const userIds: string[] = []
        for (let n = 0; n < 250; n++) userIds.push(await addFan(n))
        const occurredAt = world.clock.now()
        for (const userId of userIds)
          await world.db.write(tx =>
            writeEvent(tx, {
              source: 'gate',
              eventId: userId,
              userId,
              type,
              occurredAt,
              data: { points: 120 },
            }),
          )
        const rewardId = await addReward(world, { tier: { account: id, atLeast: 'silver' } })
        const state = async (isHeld: boolean) => {
          const { fanAccounts: rows } = world.db.tables
          const found = await world.db.read
            .select()
            .from(rows)
            .where(isHeld ? eq(rows.tierId, 'silver') : isNull(rows.tierId))
          return found.length
        }
        expect(await state(true)).toBe(250)

        // The season ends earlier than planned.
        const end = new Date(Date.now() - 1).toISOString()
        const begin = world.clock.ms
        await world.db.write(async tx => {
          const at = (days: number) => new Date(begin + days * DAY).toISOString()
          await seasonKind.upsert(tx, { id: 'this', name: 'this', startsAt: at(-10), endsAt: end })
          await seasonKind.upsert(tx, { id: 'next', name: 'next', startsAt: end, endsAt: at(190) })
        })
        expect(await race({ killed: { steps: [{ kind: 'settle' }], crashes: true } })).toEqual([
          { SIGKILL: 1 },
        ])
        expect([await state(true), await state(false)]).toEqual([150, 100])
        const claims = userIds.map((userId): Step => ({ kind: 'claim', userId, rewardId }))
        const outcomes = await race({
          left: { steps: [{ kind: 'settle' }, ...claims] },
          right: { steps: [...claims, { kind: 'settle' }] },
        })
        for (const outcome of outcomes) expect(outcome).toEqual({ settle: 1, tier_required: 250 })
        expect([await state(true), await state(false)]).toEqual([0, 250])
        for (const userId of userIds) {
          const told = await toldChanges(world.db.read, userId, id)
          expect(told.map(({ type, tierId }) => `${type} ${tierId}`)).toEqual([
            'tier.reached silver',
            'tier.lost silver',
          ])
        }
        setClock()
        expect(await findings()).toEqual([])
      }, 300_000)
    },
    { worldPer: 'test' },
  )
}
