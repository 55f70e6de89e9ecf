/** Each column of a fan that `db/schema/` declares to be merged by a rule: the rule holds when both fans have rows. */

import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { fanData } from '../../../../db/schema/fan-data.ts'
import { MAX_FOLLOWED } from '../../../../db/schema/identity/relations.ts'
import { verifyQuests } from '../../../../src/audit/runs/verify-quests.ts'
import { appendEntry } from '../../../../src/economy/points/ledger.ts'
import { carryPoints } from '../../../../src/economy/points/personal-data.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { readTally } from '../../../../src/play/questions/questions.ts'
import { addAccount, addAccountRule, addSeasons } from '../../../economy/accounts/accounts-world.ts'
import { addRule } from '../../../economy/rules/rules-world.ts'
import {
  follow,
  followStrangers,
  handlesOf,
  type NamedFan,
  namedFan,
} from '../../../identity/relations/relations-world.ts'
import { addDivision, tableOf } from '../../../play/divisions/divisions-world.ts'
import { create, earn, join, read } from '../../../play/leagues/leagues-world.ts'
import { expectStatus, patientFan } from '../../../play/packs/packs-world.ts'
import { addMatch, addPredictor, predict } from '../../../play/predictions/match-world.ts'
import { addQuestion, vote } from '../../../play/questions/questions-world.ts'
import { addQuest, claim, happen, progressRows, userIdOf } from '../../../play/quests/quests-world.ts'
import { addSet, give, readSet } from '../../../play/sets/sets-world.ts'
import { addStock, checkout } from '../../../play/shop/orders-world.ts'
import { cashOf, findingsOf, topUp } from '../../../play/top-ups/cash-world.ts'
import { drawnItem, type Item, ownedBy } from '../../../play/trades/trades-world.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'

/** `table.column` of the columns with a rule. */
const ruled = Object.entries(fanData).flatMap(([table, columns]) =>
  // Guarantee of the cast: the declarations of all columns have this member.
  Object.entries(columns as Record<string, { merge: unknown }>).flatMap(([column, { merge }]) =>
    typeof merge === 'object' && merge !== null && 'rule' in merge ? [`${table}.${column}`] : [],
  ),
)

onEachEngine(
  'A merge by the rule of',
  world => {
    const merge = (from: { id: string }, into: { id: string }) =>
      world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Ana', reason: null }))
    const pair = async (): Promise<[NamedFan, NamedFan]> => [await namedFan(world), await namedFan(world)]
    /** A token of now: those before the merge have ended. */
    const signedIn = async ({ subject }: Fan) => {
      world.clock.advance(1_000)
      return world.withToken(await world.idp.issueToken(subject))
    }
    const withId = async (fan: Fan) => ({ ...fan, id: await userIdOf(world, fan) })
    const followedBy = async (fan: Fan): Promise<number> =>
      expectStatus(200, await fan.get('/api/user/following?limit=1')).total

    async function relations() {
      const [from, into] = await pair()
      const [both, one] = await pair()
      for (const fan of [from, into]) await follow(both, fan.handle)
      await follow(one, from.handle)
      await follow(from, into.handle)
      await follow(into, one.handle)
      await follow(from, both.handle)
      await merge(from, into)
      for (const fan of [both, one]) {
        expect(await handlesOf(fan, 'following')).toEqual([into.handle])
        expect(await followedBy(fan)).toBe(1)
      }
      expect((await handlesOf(into, 'following')).toSorted()).toEqual([both.handle, one.handle].toSorted())
      expect(await followedBy(into)).toBe(2)
      expect((await handlesOf(into, 'followers')).toSorted()).toEqual([both.handle, one.handle].toSorted())
    }

    /** The fans together follow one more than a fan may. */
    async function limitedFollows() {
      const [from, into] = await pair()
      const [oldest, newest] = await pair()
      await follow(from, oldest.handle)
      world.clock.advance(1_000)
      await followStrangers(world, into.id, MAX_FOLLOWED - 1)
      world.clock.advance(1_000)
      await follow(into, newest.handle)
      await merge(from, into)
      expect(await followedBy(into)).toBe(MAX_FOLLOWED)
      expect(await handlesOf(oldest, 'followers')).toEqual([into.handle])
      expect(await handlesOf(newest, 'followers')).toEqual([])
    }

    /** Both earned in a week that is final by the time of the merge, and in one that is not. */
    async function boards() {
      const theirs = await withId(await patientFan(world))
      const own = await withId(await patientFan(world))
      for (const fan of [theirs, own])
        expectStatus(204, await fan.put('/api/user/leaderboard-membership', {}))
      await world.grant(theirs, 40)
      await world.grant(own, 7)
      const week = 7 * 86_400_000
      const query = `period=week&of=${(await own.get('/api/leaderboard?period=week')).body.board.id}`
      world.clock.advance(week)
      await world.grant(theirs, 5)
      const before = (await own.get(`/api/leaderboard?${query}`)).body
      expect(before).toMatchObject({ board: { final: true }, me: { points: 7 } })
      await merge(theirs, own)
      const pointsOn = async (board: string) => (await own.get(`/api/leaderboard?${board}`)).body.me.points
      expect(await pointsOn(query)).toBe(7)
      expect(await pointsOn('period=week')).toBe(5)
      expect(await pointsOn('period=all')).toBe(52)
      const { leaderboardEntries: entries } = world.db.tables
      const [left] = await world.db.read.select().from(entries).where(eq(entries.userId, theirs.id))
      expect(left?.leftAt).not.toBeNull()
    }

    async function points() {
      const [from, into] = await pair()
      const book = (delta: number, reason: 'activity' | 'pack_purchase' | 'pack_refund', ref: string) =>
        world.db.write(tx => appendEntry(tx, { userId: from.id, delta, reason, ref }))
      await book(50, 'activity', 'a')
      await book(-20, 'pack_purchase', 'b')
      await merge(from, into)
      const own = () =>
        into.get('/api/user/points').then(({ body: { balance, lifetime } }) => ({ balance, lifetime }))
      expect(await own()).toEqual({ balance: 30, lifetime: 50 })
      // A repeat carries over later entries of the merged record, once.
      await book(20, 'pack_refund', 'b')
      for (let n = 0; n < 2; n++)
        await world.db.write(tx => carryPoints(tx, { fromId: from.id, intoId: into.id }))
      expect(await own()).toEqual({ balance: 50, lifetime: 50 })
      const { entries } = (await into.get('/api/user/points')).body
      const booked = entries.map(({ reason, delta }: Record<string, unknown>) => [reason, delta])
      expect(booked.toReversed()).toEqual([
        ['merge', 50],
        ['merge_spent', -20],
        ['merge_returned', 20],
      ])
    }

    let seasons: Promise<void> | undefined
    /** Both have too few for the tier alone. */
    async function accounts() {
      const [from, into] = await pair()
      seasons ??= addSeasons(world)
      await seasons
      const account = await addAccount(world)
      const type = await addAccountRule(world, account)
      await happen(world, from, type, { data: { points: 70 } })
      await happen(world, into, type, { data: { points: 40 } })
      await merge(from, into)
      const own = expectStatus(200, await into.get('/api/user/accounts')).accounts
      expect(own.find(({ id }: { id: string }) => id === account)).toMatchObject({
        total: 110,
        tier: { id: 'silver' },
      })
    }

    async function cash() {
      const [from, into] = await pair()
      await topUp(from, 1900)
      await topUp(into, 300)
      const { id: orderId } = expectStatus(201, await checkout(from, await addStock(world, 3)))
      expectStatus(200, await from.post('/api/checkout/payment', { orderId, method: 'cash' }))
      expect(await cashOf(world, from)).toEqual([0, 1900])
      await merge(from, into)
      expect(await cashOf(world, from.id)).toEqual([0, 0])
      expect(await cashOf(world, into)).toEqual([300, 1900])
      expect(expectStatus(200, await into.put('/api/checkout', { orderId })).status).toBe('paid')
    }

    async function ruleUses() {
      const rule = await addRule(world, { points: { fixed: 10 }, limit: { count: 3, per: 'ever' } })
      const [from, into] = await pair()
      for (const fan of [from, into]) await happen(world, fan, rule.eventType)
      await merge(from, into)
      for (const balance of [30, 30]) {
        await happen(world, into, rule.eventType)
        expect((await into.get('/api/user/points')).body.balance).toBe(balance)
      }
    }

    /** One reward is claimed by both, one by the merged fan alone. */
    async function claims() {
      const [from, into] = await pair()
      const [both, one] = [
        await world.reward({ stockRemaining: 5, pointsRequired: 10 }),
        await world.reward({ stockRemaining: 5, pointsRequired: 10 }),
      ]
      for (const fan of [from, into]) {
        await world.grant(fan, 10)
        expectStatus(200, await fan.post('/api/rewards/claim', { rewardId: both }))
      }
      expectStatus(200, await from.post('/api/rewards/claim', { rewardId: one }))
      const { reward } = expectStatus(200, await from.post('/api/rewards/redeem', { rewardId: both }))
      const { redemptionCode } = reward
      await merge(from, into)
      const { rewards } = expectStatus(200, await into.get('/api/user/rewards'))
      expect(rewards.map(({ id }: { id: string }) => id).toSorted()).toEqual([both, one].toSorted())
      expect(rewards.find(({ id }: { id: string }) => id === both)).toMatchObject({ redemptionCode })
      expect((await into.post('/api/rewards/redeem', { rewardId: both })).body.code).toBe('already_redeemed')
      const { rewards: table } = world.db.tables
      const [stock] = await world.db.read.select().from(table).where(eq(table.id, both))
      expect(stock?.stockRemaining).toBe(4)
    }

    async function items() {
      const [from, into] = await pair()
      const [theirs, own] = [await drawnItem(world, from), await drawnItem(world, into)]
      await merge(from, into)
      const all = [theirs, own].map(({ collectibleId }) => collectibleId)
      expect((await ownedBy(into)).toSorted()).toEqual(all.toSorted())
      const { transfers } = (
        await into.get(`/api/collectibles/${theirs.collectibleId}/serials/${theirs.serialNumber}/provenance`)
      ).body
      expect(transfers).toMatchObject([{ ref: 'merge', owner: { handle: into.handle } }])
    }

    async function sets() {
      const [from, into] = await pair()
      const set = await addSet(world, { reward: { points: 25 } })
      await give(world, from.id, set.collectibleIds)
      expect((await from.get('/api/user/points')).body.balance).toBe(25)
      await merge(from, into)
      expect((await readSet(into, set))?.completedAt).not.toBeNull()
      const { setCompletions } = world.db.tables
      const rows = await world.db.read.select().from(setCompletions).where(eq(setCompletions.setId, set.id))
      expect(rows.map(({ userId, points }) => [userId, points]).toSorted()).toEqual(
        [
          [from.id, 25],
          [into.id, 0],
        ].toSorted(),
      )
      await give(world, into.id, set.collectibleIds)
      expect((await into.get('/api/user/points')).body.balance).toBe(25)
    }

    const writeLocker = async (fan: NamedFan, title: string): Promise<Item> => {
      const item = await drawnItem(world, fan)
      const locker = { title, theme: 'night', shelves: [{ title: 'Goals', items: [item] }] }
      expectStatus(200, await fan.put('/api/user/locker', locker))
      return item
    }

    async function lockers() {
      const { lockers, lockerItems } = world.db.tables
      const [from, into] = await pair()
      const moved = await writeLocker(from, 'Theirs')
      await merge(from, into)
      const locker = expectStatus(200, await into.get('/api/user/locker'))
      expect(locker).toMatchObject({ title: 'Theirs', shelves: [{ items: [moved] }] })

      const [second, other] = [await namedFan(world), into]
      await writeLocker(second, 'Second')
      await merge(second, other)
      const kept = expectStatus(200, await other.get('/api/user/locker'))
      expect(kept).toMatchObject({ title: 'Theirs', shelves: [{ items: [moved] }] })
      for (const fan of [from, second]) {
        expect(await world.db.read.select().from(lockers).where(eq(lockers.userId, fan.id))).toEqual([])
        expect(await world.db.read.select().from(lockerItems).where(eq(lockerItems.userId, fan.id))).toEqual(
          [],
        )
      }
    }

    async function predictions() {
      const [own, both] = [await addMatch(world), await addMatch(world)]
      const from = await withId(await addPredictor(world, own.matchId, 2, 1))
      await predict(from, both.matchId, 2, 1)
      const into = await withId(await addPredictor(world, both.matchId, 0, 0))
      await merge(from, into)
      const { predictions } = expectStatus(200, await into.get('/api/user/predictions'))
      type Shown = Record<'matchId' | 'homeScore' | 'awayScore', unknown>
      const scores = predictions.map(({ matchId, homeScore, awayScore }: Shown) => [
        matchId,
        homeScore,
        awayScore,
      ])
      expect(new Set(scores.map(String))).toEqual(new Set([`${own.matchId},2,1`, `${both.matchId},0,0`]))
    }

    async function votes() {
      const [own, both] = [await addQuestion(world), await addQuestion(world)]
      const [from, into] = await pair()
      for (const id of [own, both]) await vote(from, id, 'home')
      await vote(into, both, 'away')
      await merge(from, into)
      const { votes } = expectStatus(200, await into.get('/api/user/votes'))
      type Shown = Record<'questionId' | 'optionId', string>
      const shown = votes.map(({ questionId, optionId }: Shown) => `${questionId} ${optionId}`)
      expect(shown.toSorted()).toEqual([`${own} home`, `${both} away`].toSorted())
      expect(Object.fromEntries(await readTally(world.db.read, both))).toEqual({ home: 0, away: 1 })
    }

    async function quests() {
      const [from, into] = await pair()
      const quest = await addQuest(world, { reward: { points: 30 }, steps: [{ target: 2 }] })
      for (const fan of [from, from, into]) await happen(world, fan, quest.type)
      expect((await from.get('/api/user/points')).body.balance).toBe(30)
      await merge(from, into)
      expect(await progressRows(world, into, quest.id)).toHaveLength(1)
      await happen(world, into, quest.type)
      expect((await claim(into, quest.id)).body.code).toBe('already_claimed')
      expect((await into.get('/api/user/points')).body.balance).toBe(30)
    }

    async function streaks() {
      const [from, into] = await pair()
      const quest = await addQuest(world, { kind: 'streak', period: 'day' })
      const { questStreaks } = world.db.tables
      for (const fan of [from, into, from, into]) {
        await happen(world, fan, quest.type)
        world.clock.advance(86_400_000)
      }
      await merge(from, into)
      const rows = await world.db.read.select().from(questStreaks).where(eq(questStreaks.questId, quest.id))
      expect(rows.find(({ userId }) => userId === into.id)).toMatchObject({ current: 4, best: 4 })
    }

    async function profile() {
      const [from, into] = await pair()
      await from.patch('/api/user/profile', { bio: 'Theirs', displayName: 'Theirs' })
      await merge(from, into)
      const again = await signedIn(from)
      expect(expectStatus(200, await again.get('/api/user/profile'))).toMatchObject({
        ...{ id: into.id, handle: into.handle, bio: 'Theirs', displayName: `Name of ${into.handle}` },
      })
    }

    async function sessions() {
      const [from, into] = await pair()
      const [theirs, own] = [
        await from.post('/api/auth/native-token'),
        await into.post('/api/auth/native-token'),
      ]
      await merge(from, into)
      const refresh = (answer: typeof own) =>
        world.anonymous.post('/api/auth/native-token/refresh', { refreshToken: answer.body.refreshToken })
      expect((await refresh(theirs)).body.code).toBe('invalid_refresh_token')
      expect((await refresh(own)).status).toBe(200)
    }

    /** The invited one is another account of the inviter. */
    async function referrals() {
      const [from, into] = await pair()
      const { code: referralCode } = (await into.get('/api/user/referral')).body
      const onboarded = expectStatus(200, await from.post('/api/user/onboarding', { referralCode }))
      expect(onboarded.referral).toEqual({ invitedBy: into.handle })
      await merge(from, into)
      const { events } = world.db.tables
      const told = await world.db.read.select().from(events).where(eq(events.type, 'referral.completed'))
      expect(told.filter(({ eventId }) => eventId.includes(from.id)).map(({ voidedAt }) => voidedAt)).toEqual(
        [world.clock.now(), world.clock.now()],
      )
    }

    /** Members and bans of leagues of a third fan. */
    async function leagues() {
      const [from, into] = await pair()
      const owner = await namedFan(world)
      const [both, theirs, banned, open] = [
        await create(owner),
        await create(owner),
        await create(owner),
        await create(owner),
      ]
      for (const { code } of [both, theirs]) await join(from, code)
      for (const { code } of [both, banned]) await join(into, code)
      for (const { id } of [banned, open]) await owner.put(`/api/leagues/${id}/bans/${from.handle}`)
      await merge(from, into)
      const ids = (await into.get('/api/user/leagues')).body.leagues.map(({ id }: { id: string }) => id)
      expect(ids.toSorted()).toEqual([both.id, theirs.id, banned.id].toSorted())
      expect((await join(into, open.code)).body.code).toBe('banned')
      for (const { id } of [both, theirs, banned]) expect((await read(owner, id)).members).toBe(2)
    }

    async function divisions() {
      await addDivision(world)
      const [from, into] = await pair()
      for (const fan of [from, into]) expectStatus(204, await fan.put('/api/user/leaderboard-membership'))
      await earn(world, from.id, 5)
      await earn(world, into.id, 7)
      await merge(from, into)
      expect((await tableOf(into)).entries).toMatchObject([{ handle: into.handle, points: 12 }])
    }

    const cases: Record<string, (() => Promise<void>)[]> = {
      'users.subject': [profile],
      'nativeSessions.subject': [sessions],
      'fanRelations.fanId': [relations],
      'fanRelations.otherId': [relations],
      'followCounts.userId': [limitedFollows],
      'leaderboardEntries.userId': [boards],
      'leaderboardScores.userId': [boards],
      'pointsAccounts.userId': [points],
      'fanAccounts.userId': [accounts],
      'accountEntries.userId': [accounts],
      'ruleUses.userId': [ruleUses],
      'cashAccounts.userId': [cash],
      'userRewards.userId': [claims],
      'userItems.ownerId': [items],
      'setCompletions.userId': [sets],
      'referrals.inviteeId': [referrals],
      'leagueMembers.userId': [leagues],
      'leagueBans.userId': [leagues],
      'divisionMembers.userId': [divisions],
      'lockers.userId': [lockers],
      'lockerItems.userId': [lockers],
      'predictions.userId': [predictions],
      'questionVotes.userId': [votes],
      'questProgress.userId': [quests],
      'questCounts.userId': [quests],
      'questStreaks.userId': [streaks],
    }

    test.each(ruled)('%s', async column => {
      const own = cases[column]
      expect(own, `${column} has no case`).toBeDefined()
      for (const run of own ?? []) await run()
      expect(await findingsOf(world)).toEqual([])
      const found: unknown[] = []
      await verifyQuests(world.db, { onFinding: finding => found.push(finding) })
      expect(found).toEqual([])
    })

    test('open reports: either fan with one is not merged', async () => {
      const [from, into] = await pair()
      const report = { subject: { kind: 'fan', id: into.handle }, reason: 'spam' }
      expectStatus(201, await (await namedFan(world)).post('/api/reports', report))
      for (const [one, other] of [
        [from, into],
        [into, from],
      ] as const)
        await expect(merge(one, other)).rejects.toMatchObject({ members: { blockedBy: ['report_open'] } })
    })
  },
  { env: { CASH_CURRENCIES: 'EUR' } },
)
