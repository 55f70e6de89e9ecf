/** Actions on a fan in the console: what each does, what refuses it, and what the audit log says. */
import { describe, expect, test } from 'bun:test'
import { and, desc, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { addAccount } from '../../economy/accounts/accounts-world.ts'
import { addRule, unique } from '../../economy/rules/rules-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { happen } from '../../play/quests/quests-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { redeemedCode } from '../desk-world.ts'
import { consoleOf } from '../support.ts'

const reason = 'The fan called the hotline.'

onEachEngine('An action on a fan in the console', world => {
  const { as } = consoleOf(world)
  const support = () => as('support')
  const owner = () => as('owner')

  async function lastAction() {
    const { consoleAudit } = world.db.tables
    const [row] = await world.db.read.select().from(consoleAudit).orderBy(desc(consoleAudit.seq)).limit(1)
    return { ...row, detail: JSON.parse(row?.detail ?? 'null') }
  }
  const rewardOf = async (fanId: string, rewardId: string) => {
    const { userRewards } = world.db.tables
    const isOf = and(eq(userRewards.userId, fanId), eq(userRewards.rewardId, rewardId))
    return (await world.db.read.select().from(userRewards).where(isOf))[0]
  }

  test('grants and takes points, once per reference', async () => {
    const fan = await namedFan(world)
    const path = `/api/fans/${fan.id}/grants`
    const grant = { delta: 1_200, ref: unique('grant'), reason }
    expect(expectStatus(200, await support().post(path, grant))).toEqual({ created: true, balance: 1_200 })
    expect(expectStatus(200, await support().post(path, grant))).toEqual({ created: false, balance: 1_200 })
    expect(await lastAction()).toMatchObject({
      ...{ operation: 'grantPointsToFan', role: 'support', subjectId: fan.id, reason },
      detail: { delta: 1_200, created: false },
    })
    const taken = await support().post(path, { ...grant, delta: -500, ref: unique('grant') })
    expect(expectStatus(200, taken)).toEqual({ created: true, balance: 700 })
    const refused = await support().post(path, { ...grant, delta: -701, ref: unique('grant') })
    expect([refused.status, refused.body.code]).toEqual([409, 'insufficient_points'])
    expect((await support().post(path, { ...grant, delta: 5 })).body.code).toBe('ref_reused')
    expect((await as('editor').post(path, grant)).body.code).toBe('permission_denied')
    const unknown = await support().post('/api/fans/nobody/grants', { ...grant, ref: unique('grant') })
    expect(unknown.body.code).toBe('fan_not_found')
  })

  test('grants and takes points of an account, and shows them with tiers and their changes', async () => {
    const fan = await namedFan(world)
    const account = await addAccount(world)
    const path = `/api/fans/${fan.id}/grants`
    const grant = { delta: 120, ref: unique('grant'), account, reason }
    expect(expectStatus(200, await support().post(path, grant))).toEqual({ created: true, balance: 120 })
    expect(await lastAction()).toMatchObject({ detail: { delta: 120, account, created: true } })
    const taken = { ...grant, delta: -50, ref: unique('grant') }
    expect(expectStatus(200, await support().post(path, taken))).toEqual({ created: true, balance: 70 })
    const unknown = await support().post(path, { ...grant, ref: unique('grant'), account: 'unknown' })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'account_not_found'])

    const status = expectStatus(200, await support().get(`/api/fans/${fan.id}/accounts`))
    expect(status.accounts.find(({ id }: { id: string }) => id === account)).toMatchObject({
      ...{ total: 70, tier: null, next: { missing: 30 } },
    })
    expect(status.changes).toMatchObject([
      { type: 'tier.lost', accountId: account, tierId: 'silver', toTierId: null, reason: 'correction' },
      { type: 'tier.reached', accountId: account, tierId: 'silver', reason: null },
    ])
    const entries = `/api/fans/${fan.id}/accounts/${account}/entries`
    const { nextCursor, ...first } = expectStatus(200, await support().get(`${entries}?limit=1`))
    expect(first.entries).toMatchObject([{ delta: -50, ref: taken.ref, explanation: { kind: 'adjustment' } }])
    const second = expectStatus(200, await support().get(`${entries}?limit=1&cursor=${nextCursor}`))
    expect(second).toMatchObject({ entries: [{ delta: 120, balanceAfter: 120 }], nextCursor: null })
    expect((await support().get('/api/fans/nobody/accounts')).body.code).toBe('fan_not_found')
  })

  test('gives cash, once per reference and only in a configured currency', async () => {
    const fan = await namedFan(world)
    const path = `/api/fans/${fan.id}/cash`
    const given = { amount: 500, currency: 'EUR', ref: unique('cash'), reason }
    expect(expectStatus(200, await support().post(path, given))).toEqual({ created: true, balance: 500 })
    expect(expectStatus(200, await support().post(path, given))).toEqual({ created: false, balance: 500 })
    expect((await support().post(path, { ...given, currency: 'USD' })).body.code).toBe('cash_not_accepted')
    expect(
      (await support().post(path, { ...given, ref: unique('cash'), expiresAt: '2020-01-01T00:00:00Z' }))
        .status,
    ).toBe(422)
  })

  test('voids an event of the fan, and none of another fan or of the application', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const rule = await addRule(world)
    const eventId = await happen(world, fan, rule.eventType)
    const event = { source: 'shop', eventId, reason }
    const wrong = await support().post(`/api/fans/${other.id}/void-event`, event)
    expect(wrong.body.code).toBe('event_not_found')
    const { taken } = expectStatus(200, await support().post(`/api/fans/${fan.id}/void-event`, event))
    expect(taken).toMatchObject([{ ruleId: rule.id, uncollected: 0 }])
    const { events } = world.db.tables
    const [own] = await world.db.read
      .select()
      .from(events)
      .where(and(eq(events.source, 'matchday'), eq(events.userId, fan.id)))
    if (own) {
      const refused = { source: 'matchday', eventId: own.eventId, reason }
      expect((await support().post(`/api/fans/${fan.id}/void-event`, refused)).status).toBe(404)
    }
  })

  test('ends the sessions of a fan', async () => {
    const fan = await namedFan(world)
    expectStatus(200, await fan.post('/api/auth/native-token', {}))
    const ended = await support().post(`/api/fans/${fan.id}/end-sessions`, { reason })
    expect(expectStatus(200, ended)).toEqual({ devices: 1 })
    expect((await fan.get('/api/user/profile')).status).toBe(401)
  })

  test('renames a fan by the rules of public text, and frees a handle', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const path = `/api/fans/${fan.id}/names`
    expectStatus(204, await support().post(path, { displayName: 'Ada', handle: null, reason }))
    expect(expectStatus(200, await fan.get('/api/user/profile'))).toMatchObject({
      displayName: 'Ada',
      handle: null,
    })
    expect((await lastAction()).detail).toEqual({ changed: ['displayName', 'handle'] })
    expect((await support().post(path, { handle: other.handle, reason })).body.code).toBe('handle_taken')
    expect((await support().post(path, { handle: 'No!', reason })).status).toBe(422)
  })

  describe('on a claim', () => {
    test('undoes it: the unit returns, and the fan can claim again', async () => {
      const { fan, rewardId, code } = await redeemedCode(world)
      const { rewards } = world.db.tables
      await world.db.write(tx =>
        tx.update(rewards).set({ stockRemaining: 4 }).where(eq(rewards.id, rewardId)),
      )
      const path = `/api/fans/${fan.id}/rewards/${rewardId}/undo-claim`
      const answers = await Promise.all([support().post(path, { reason }), support().post(path, { reason })])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409])
      const [reward] = await world.db.read.select().from(rewards).where(eq(rewards.id, rewardId))
      expect(reward?.stockRemaining).toBe(5)
      expect((await support().get(`/api/desk/codes/${code}`)).status).toBe(404)
      expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
    })

    test('does not undo a used one until its use is undone', async () => {
      const { fan, rewardId, code } = await redeemedCode(world)
      const use = () => support().post(`/api/desk/codes/${code}/use`, { requestId: crypto.randomUUID() })
      const undoUse = () => support().post(`/api/fans/${fan.id}/undo-use`, { code, reason })
      expect((await undoUse()).body.code).toBe('code_not_used')
      expectStatus(200, await use())
      const refused = await support().post(`/api/fans/${fan.id}/rewards/${rewardId}/undo-claim`, { reason })
      expect(refused.body.code).toBe('already_used')
      const other = await namedFan(world)
      const foreign = await support().post(`/api/fans/${other.id}/undo-use`, { code, reason })
      expect(foreign.body.code).toBe('redemption_not_found')
      const answers = await Promise.all([undoUse(), undoUse()])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409])
      expectStatus(200, await use())
    })

    test('replaces a code, and the former one is worthless', async () => {
      const { fan, rewardId, code } = await redeemedCode(world)
      expectStatus(
        204,
        await support().post(`/api/fans/${fan.id}/rewards/${rewardId}/replace-code`, { reason }),
      )
      expect((await support().get(`/api/desk/codes/${code}`)).status).toBe(404)
      const now = (await rewardOf(fan.id, rewardId))?.redemptionCode
      expect(now).not.toBe(code)
      expectStatus(200, await support().get(`/api/desk/codes/${now}`))
      const unclaimed = await world.reward()
      const refused = await support().post(`/api/fans/${fan.id}/rewards/${unclaimed}/replace-code`, {
        reason,
      })
      expect(refused.body.code).toBe('not_claimed')
    })
  })

  test('exports what is stored about a fan, and says so in the log', async () => {
    const fan = await namedFan(world)
    const answer = await support().post(`/api/fans/${fan.id}/export`, { reason })
    expect(answer.headers.get('content-disposition')).toContain(`fan-${fan.id}.json`)
    expect(JSON.parse(expectStatus(200, answer)).profile).toMatchObject({ id: fan.id, handle: fan.handle })
    expect(await lastAction()).toMatchObject({ operation: 'exportFan', subjectId: fan.id })
    expect((await as('finance').post(`/api/fans/${fan.id}/export`, { reason })).status).toBe(403)
  })

  test('erases a fan whose handle was typed', async () => {
    const fan = await namedFan(world)
    const path = `/api/fans/${fan.id}/erase`
    expect((await owner().post(path, { confirm: 'someone', reason })).status).toBe(422)
    expectStatus(200, await owner().post(path, { confirm: fan.handle, reason }))
    expect((await fan.get('/api/user/profile')).status).toBe(401)
    expect((await owner().post(path, { confirm: fan.handle, reason })).status).toBe(404)
    const { detail } = await lastAction()
    expect(JSON.stringify(detail)).not.toContain(fan.handle)
  })

  test('refuses to erase a fan whose handle was not typed, or who is already erased, without a second person', async () => {
    const { console } = world.config
    if (!console) throw new Error('the console is on in tests')
    const config = { ...world.config, console: { ...console, twoPerson: ['erasure' as const] } }
    const ada = consoleOf(world, () => ({ config })).as('owner', 'Ada')
    const fan = await namedFan(world)
    const path = `/api/fans/${fan.id}/erase`
    expect((await ada.post(path, { confirm: 'someone', reason })).status).toBe(422)
    expect((await ada.post('/api/fans/nobody/erase', { confirm: 'nobody', reason })).status).toBe(404)
    expect((await ada.post(path, { confirm: fan.handle, reason })).status).toBe(202)
  })

  test('merges two fans after a plan that changes nothing', async () => {
    const [from, into] = [await namedFan(world), await namedFan(world)]
    await world.grant(from, 40)
    const path = `/api/fans/${from.id}/merge`
    const plan = expectStatus(200, await owner().post(`${path}/plan`, { into: into.id }))
    expect(plan.points).toEqual({ balance: 40, lifetime: 40 })
    expectStatus(200, await from.get('/api/user/profile'))
    const merged = expectStatus(200, await owner().post(path, { into: into.id, reason }))
    expect(merged).toEqual(plan)
    expect((await lastAction()).detail).toEqual({ into: into.id, balance: 40, lifetime: 40 })
    expect((await owner().post(path, { into: into.id, reason })).body.code).toBe('fans_not_mergeable')
    expect((await as('support').post(path, { into: into.id, reason })).status).toBe(403)
    const found: unknown[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    expect(found).toEqual([])
  })
})

onEachEngine('POST /api/cash/promotions', world => {
  test('gives cash by server key, once per reference', async () => {
    const fan = await namedFan(world)
    const shop = world.withToken(await world.serverKey(['cash:write']))
    const promotion = { fan: { userId: fan.id }, amount: 300, currency: 'EUR', ref: unique('promotion') }
    expect(expectStatus(201, await shop.post('/api/cash/promotions', promotion))).toMatchObject({
      promotion: { amount: 300, expiresAt: null },
      available: 300,
    })
    expectStatus(200, await shop.post('/api/cash/promotions', promotion))
    const other = await shop.post('/api/cash/promotions', { ...promotion, amount: 301 })
    expect(other.body.code).toBe('ref_reused')
    const usd = await shop.post('/api/cash/promotions', { ...promotion, currency: 'USD', ref: unique('p') })
    expect(usd.body.code).toBe('cash_not_accepted')
    const nobody = { ...promotion, fan: { userId: 'nobody' }, ref: unique('p') }
    expect((await shop.post('/api/cash/promotions', nobody)).body.code).toBe('fan_not_found')
    const narrow = world.withToken(await world.serverKey(['points:write']))
    expect((await narrow.post('/api/cash/promotions', promotion)).body.code).toBe('insufficient_scope')
    expect((await world.anonymous.post('/api/cash/promotions', promotion)).status).toBe(401)
  })
})
