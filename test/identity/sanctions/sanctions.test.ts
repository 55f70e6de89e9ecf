/** Effects of a sanction: at once, in every view, until it ends or is lifted. */
import { describe, expect, test } from 'bun:test'
import { foldDecisions, listDecisions, recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { operations, writingOperations } from '../../fan/account/writing-operations.ts'
import { countQueries } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'
import { block, follow, handlesOf, namedFan, put, remove } from '../relations/relations-world.ts'

const DAY = 86_400_000
const HARASSMENT = { reason: 'harassment', decidedBy: 'Ana' } as const

onEachEngine('A sanction', world => {
  const suspend = (fanId: string, until = new Date(world.clock.ms + DAY)) =>
    world.db.write(tx => recordDecision(tx, { ...HARASSMENT, fanId, kind: 'suspend', until }))
  const hide = (fanId: string) =>
    world.db.write(tx => recordDecision(tx, { ...HARASSMENT, fanId, kind: 'hide' }))
  const lift = (fanId: string, liftsId: string) =>
    world.db.write(tx => recordDecision(tx, { ...HARASSMENT, fanId, kind: 'lift', liftsId }))
  const codeOf = (work: Promise<unknown>) => work.then(() => null).catch(error => error.code)

  test('refuses each write of a suspended fan, except those that protect them, their account and their data', async () => {
    const passed: string[] = []
    for (const id of await writingOperations(world)) {
      const prepare = operations[id]
      if (!prepare) continue
      const fan = await namedFan(world)
      const { send } = await prepare(world, fan)
      await suspend(fan.id)
      const { status, body } = await send()
      if (body?.code === 'suspended') expect([id, status]).toEqual([id, 403])
      else passed.push(id)
    }
    expect(passed.toSorted()).toEqual([
      'acceptTerms',
      'blockFan',
      'changeNotificationPreferences',
      // Operations of the club's systems on a fan.
      'changeOrderLine',
      'changePrivacy',
      'createNativeToken',
      'deleteAccount',
      'deleteMessage',
      'endMembership',
      'endSession',
      'fileAppeal',
      ...[
        'grantCash',
        'grantPoints',
        'leaveLeaderboard',
        'logOut',
        'muteFan',
        'readMessages',
        'receiveIdentityEvent',
        'recordEvents',
      ],
      ...[
        'refreshNativeToken',
        'removeDevice',
        'removeLeagueMember',
        'requestExport',
        'setOwnLimits',
        'unblockFan',
        'unlinkWallet',
        'unmuteFan',
        'useRedemption',
        'voidEvent',
      ],
      ...['withdrawOrder', 'writeAgeBand', 'writeConsents', 'writeMembership'],
    ])
  })

  test('states its end and reason, lets the fan read, and ends at that time', async () => {
    const fan = await namedFan(world)
    const until = new Date(world.clock.ms + 60_000)
    await suspend(fan.id, until)
    const refused = await fan.patch('/api/user/profile', { bio: 'x' })
    expect(refused.body).toMatchObject({
      ...{ code: 'suspended', until: until.toISOString(), reason: 'harassment', appealable: true },
    })
    expect((await fan.get('/api/user/profile')).status).toBe(200)
    expect((await fan.get('/api/user/sanctions')).body.sanctions).toMatchObject([
      { kind: 'suspend', until: until.toISOString(), liftedAt: null, inForce: true },
    ])
    expect(JSON.stringify((await fan.get('/api/user/sanctions')).body)).not.toContain('Ana')
    world.clock.advance(60_000)
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).status).toBe(200)
    expect((await fan.get('/api/user/sanctions')).body.sanctions[0].inForce).toBe(false)
  })

  test('is lifted once, by a decision of its own; a later suspension replaces an earlier one', async () => {
    const fan = await namedFan(world)
    const first = await suspend(fan.id)
    const second = await suspend(fan.id, new Date(world.clock.ms + 2 * DAY))
    expect(await codeOf(lift(fan.id, first.id))).toBe('sanction_not_in_force')
    await lift(fan.id, second.id)
    expect(await codeOf(lift(fan.id, second.id))).toBe('sanction_not_in_force')
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).status).toBe(200)
    const { sanctions } = (await fan.get('/api/user/sanctions')).body
    expect(sanctions.map(({ id, inForce }: { id: string; inForce: boolean }) => [id, inForce])).toEqual([
      [second.id, false],
      [first.id, false],
    ])
    expect(sanctions[0].liftedAt).not.toBeNull()
  })

  test('that hides a fan hides them from every view of others, and not from themselves', async () => {
    const [fan, other, blocking] = [await namedFan(world), await namedFan(world), await namedFan(world)]
    await fan.post('/api/user/onboarding', {})
    await follow(other, fan.handle)
    await follow(fan, other.handle)
    await block(blocking, fan.handle)
    await remove(other, 'mutes', fan.handle)
    await other.get('/api/leaderboard')
    const { id } = await hide(fan.id)
    for (const reader of [other, blocking, world.anonymous]) {
      const answer = await reader.get(`/api/fans/${fan.handle}`)
      expect([answer.status, answer.body.code]).toEqual([404, 'fan_not_found'])
      const board = JSON.stringify((await reader.get('/api/leaderboard')).body)
      for (const needle of [fan.id, fan.handle, `Name of ${fan.handle}`]) expect(board).not.toContain(needle)
    }
    expect(await handlesOf(other, 'following')).toEqual([])
    expect(await handlesOf(other, 'followers')).toEqual([])
    expect(await handlesOf(blocking, 'blocks')).toEqual([fan.handle])
    for (const kind of ['following', 'mutes', 'blocks'] as const)
      expect((await put(other, kind, fan.handle)).body.code).toBe('fan_not_found')
    expect((await fan.get(`/api/fans/${fan.handle}`)).status).toBe(200)
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).status).toBe(200)
    expect((await hide(fan.id)).id).toBe(id)
    await lift(fan.id, id)
    expect((await other.get(`/api/fans/${fan.handle}`)).status).toBe(200)
    expect(await handlesOf(other, 'following')).toEqual([fan.handle])
  })

  test('lets no write commit after it has committed, however they race', async () => {
    for (let round = 0; round < 6; round++) {
      const fan = await namedFan(world)
      const writes = Array.from({ length: 4 }, (_, n) =>
        fan.patch('/api/user/profile', { bio: `before ${n}` }),
      )
      let committed = false
      const suspension = suspend(fan.id).then(() => {
        committed = true
      })
      const late = suspension.then(() => fan.patch('/api/user/profile', { bio: 'after' }))
      for (const { status, body } of await Promise.all(writes))
        if (status !== 200) expect(body.code).toBe('suspended')
      expect((await late).body.code).toBe('suspended')
      expect(committed).toBe(true)
      expect((await fan.get('/api/user/profile')).body.bio ?? '').not.toBe('after')
    }
  })

  test('by many concurrent decisions has an order, and the state that follows from it', async () => {
    const { id: fanId } = await namedFan(world)
    const decided = await Promise.all([hide(fanId), hide(fanId), suspend(fanId), suspend(fanId), hide(fanId)])
    const rows = await listDecisions(world.db.read, fanId)
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1))
    expect(new Set(decided.map(({ id }) => id)).size).toBe(3)
    const { hidden } = foldDecisions(rows)
    const lifts = await Promise.all([1, 2, 3].map(() => codeOf(lift(fanId, hidden?.id ?? ''))))
    expect(lifts.toSorted()).toEqual([null, 'sanction_not_in_force', 'sanction_not_in_force'].toSorted())
  })

  test('takes no additional statement in a write', async () => {
    const [fan, sanctioned] = [await namedFan(world), await namedFan(world)]
    const { id } = await suspend(sanctioned.id)
    await lift(sanctioned.id, id)
    const count = (one: typeof fan) =>
      countQueries(world.db, () => one.patch('/api/user/profile', { country: 'PT' }))
    expect(await count(sanctioned)).toBe(await count(fan))
  })

  test('of an unknown fan is refused', async () => {
    expect(await codeOf(suspend('nobody'))).toBe('fan_not_found')
    expect((await world.anonymous.get('/api/user/sanctions')).body.code).toBe('unauthenticated')
  })

  describe('is kept by the database', () => {
    test.each(['an update', 'a deletion'])('which refuses %s', async change => {
      const { id } = await namedFan(world)
      await hide(id)
      const before = await listDecisions(world.db.read, id)
      const { moderationDecisions } = world.db.tables
      const changed = world.db.write(async tx =>
        change === 'an update'
          ? tx.update(moderationDecisions).set({ reason: 'spam' })
          : tx.delete(moderationDecisions),
      )
      const refusal = await changed.then(() => '').catch(error => `${error} ${error.cause}`)
      expect(refusal).toContain('moderation_decisions is append-only')
      expect(await listDecisions(world.db.read, id)).toEqual(before)
    })
  })
})
