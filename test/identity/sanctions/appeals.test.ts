/** Appeals: once against each sanction, decided once, by another person than the sanction. */
import { expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { NOBODY } from '../../../src/core/caller.ts'
import { isShown } from '../../../src/identity/relations/visibility.ts'
import { decideAppeal, listOpenAppeals } from '../../../src/identity/sanctions/appeals.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { writeAsFan } from '../../../src/identity/sanctions/write-as-fan.ts'
import { onEachEngine } from '../../support/world.ts'
import { follow, type NamedFan, namedFan } from '../relations/relations-world.ts'

onEachEngine('An appeal', world => {
  const by = { reason: 'harassment', decidedBy: 'Ana' } as const
  const sanction = (fanId: string, kind: 'hide' | 'mute') =>
    world.db.write(tx => recordDecision(tx, { ...by, fanId, kind }))
  const suspend = (fanId: string) => {
    const until = new Date(world.clock.ms + 60_000)
    return world.db.write(tx => recordDecision(tx, { ...by, fanId, kind: 'suspend', until }))
  }
  const lift = (fanId: string, liftsId: string) =>
    world.db.write(tx => recordDecision(tx, { ...by, fanId, kind: 'lift', liftsId }))
  const appeal = (fan: NamedFan, sanctionId: string) =>
    fan.post('/api/user/appeals', { sanctionId, text: 'I quoted others.' })
  const idOf = async (sanctionId: string) =>
    (await listOpenAppeals(world.db.read, 1_000)).find(({ sanction }) => sanction.id === sanctionId)?.appeal
      .id ?? ''
  const decideIt = (id: string, granted: boolean, decidedBy = 'Bruno') =>
    world.db.write(tx => decideAppeal(tx, id, { reason: 'other', decidedBy, granted }))
  const codeOf = (work: Promise<unknown>) => work.then(() => null).catch(error => error.code)
  const sanctionsOf = async (fan: NamedFan) => (await fan.get('/api/user/sanctions')).body.sanctions

  test('is written once against a sanction in force, also by a suspended fan', async () => {
    const fan = await namedFan(world)
    const { id } = await suspend(fan.id)
    expect((await sanctionsOf(fan))[0]).toMatchObject({ appealable: true, appeal: null })
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).body.appealable).toBe(true)
    const atOnce = await Promise.all([1, 2, 3].map(() => appeal(fan, id)))
    expect(atOnce.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
      ...[201, 'already_appealed', 'already_appealed'],
    ])
    expect((await sanctionsOf(fan))[0]).toMatchObject({ appealable: false, appeal: { status: 'open' } })
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).body.appealable).toBe(false)
  })

  test('an appeal is closed by its decision, and a granted one lifts the sanction', async () => {
    const [granted, rejected] = [await namedFan(world), await namedFan(world)]
    const [first, second] = [await suspend(granted.id), await suspend(rejected.id)]
    for (const [fan, { id }] of [
      [granted, first],
      [rejected, second],
    ] as const)
      await appeal(fan, id)
    const ids = [await idOf(first.id), await idOf(second.id)] as const
    await decideIt(ids[0], true)
    await decideIt(ids[1], false)
    for (const id of ids) expect(await codeOf(decideIt(id, true))).toBe('appeal_not_open')
    const open = await listOpenAppeals(world.db.read, 1_000)
    expect(open.filter(({ appeal }) => ids.includes(appeal.id))).toEqual([])
    expect((await sanctionsOf(granted))[0]).toMatchObject({ inForce: false, appeal: { status: 'granted' } })
    expect((await sanctionsOf(rejected))[0]).toMatchObject({ inForce: true, appeal: { status: 'rejected' } })
    expect((await granted.patch('/api/user/profile', { bio: 'x' })).status).toBe(200)
    expect((await rejected.patch('/api/user/profile', { bio: 'x' })).body.code).toBe('suspended')
    expect(JSON.stringify(await sanctionsOf(granted))).not.toContain('Bruno')
  })

  test('is decided by a person other than the one who decided the sanction, and once by concurrent decisions', async () => {
    const fan = await namedFan(world)
    const { id } = await sanction(fan.id, 'hide')
    await appeal(fan, id)
    const appealId = await idOf(id)
    expect(await codeOf(decideIt(appealId, true, ' ANA '))).toBe('appeal_of_own_decision')
    const codes = await Promise.all([true, false, true].map(granted => codeOf(decideIt(appealId, granted))))
    expect(codes.toSorted()).toEqual([null, 'appeal_not_open', 'appeal_not_open'].toSorted())
  })

  test.each([
    ['the same person under another name', { decidedBy: 'Ana Ruiz', decidedById: 'provider:7' }],
    ['the same name without an id, as a command has it', { decidedBy: 'ana' }],
    ['another way of signing in', { decidedBy: 'Ana', decidedById: 'link:Ana' }],
    ['another way of signing in under another name', { decidedBy: 'Eva', decidedById: 'link:eva' }],
  ])('against a decision in the console cannot be decided by %s', async (_, decider) => {
    const fan = await namedFan(world)
    const staff = { decidedBy: 'Ana', decidedById: 'provider:7' }
    const { id } = await world.db.write(tx =>
      recordDecision(tx, { ...staff, reason: 'spam', fanId: fan.id, kind: 'hide' }),
    )
    await appeal(fan, id)
    const appealId = await idOf(id)
    const decideAs = (moderator: typeof staff | typeof decider) =>
      world.db.write(tx => decideAppeal(tx, appealId, { ...moderator, reason: 'other', granted: true }))
    expect(await codeOf(decideAs(decider))).toBe('appeal_of_own_decision')
    // People at the provider choose their names.
    expect(await decideAs({ decidedBy: 'Ana', decidedById: 'provider:8' })).toMatchObject({
      ...{ granted: true, decidedBy: 'Ana', decidedById: 'provider:8' },
    })
  })

  test('is granted by a lift of its sanction', async () => {
    const fan = await namedFan(world)
    const { id } = await sanction(fan.id, 'hide')
    await appeal(fan, id)
    const appealId = await idOf(id)
    await lift(fan.id, id)
    expect((await sanctionsOf(fan))[0].appeal.status).toBe('granted')
    expect(await codeOf(decideIt(appealId, false))).toBe('appeal_not_open')
  })

  test('against a sanction that ended, of another fan, or against none is refused', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const ended = await suspend(fan.id)
    world.clock.advance(60_000)
    expect((await appeal(fan, ended.id)).body.code).toBe('sanction_not_in_force')
    const { id } = await sanction(other.id, 'hide')
    for (const unknown of [id, 'none']) {
      const { status, body } = await appeal(fan, unknown)
      expect([status, body.code]).toEqual([404, 'sanction_not_found'])
    }
    const anonymous = await world.anonymous.post('/api/user/appeals', { sanctionId: id, text: 'x' })
    expect([anonymous.status, anonymous.body.code]).toEqual([401, 'unauthenticated'])
    expect(await codeOf(decideIt('none', true))).toBe('appeal_not_open')
  })

  test('can be against a mute, which hides activity from others alone', async () => {
    const [fan, follower] = [await namedFan(world), await namedFan(world)]
    await follow(follower, fan.handle)
    const isSeenBy = async (viewer: NamedFan) => {
      const { read } = world.db
      const { users } = read.tables
      const [row] = await read
        .select({
          activity: isShown(read, 'activity', viewer.id, users.id),
          profile: isShown(read, 'profile', viewer.id, users.id),
        })
        .from(users)
        .where(eq(users.id, fan.id))
      return row
    }
    expect(await isSeenBy(follower)).toEqual({ activity: true, profile: true })
    const { id } = await sanction(fan.id, 'mute')
    expect((await sanction(fan.id, 'mute')).id).toBe(id)
    expect(await isSeenBy(follower)).toEqual({ activity: false, profile: true })
    expect(await isSeenBy(fan)).toEqual({ activity: true, profile: true })
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).status).toBe(200)
    expect((await appeal(fan, id)).status).toBe(201)
    await decideIt(await idOf(id), true)
    expect(await isSeenBy(follower)).toEqual({ activity: true, profile: true })
  })
})

onEachEngine('A fan whose record is created and suspended during the first request', world => {
  test('does not write, except what a suspended fan may', async () => {
    const fan = await namedFan(world)
    const until = new Date(world.clock.ms + 60_000)
    const decision = { reason: 'spam', decidedBy: 'Ana', fanId: fan.id, kind: 'suspend', until } as const
    await world.db.write(tx => recordDecision(tx, decision))
    const [record] = await world.db.read
      .select()
      .from(world.db.tables.users)
      .where(eq(world.db.tables.users.id, fan.id))
    // As the request was authenticated before the record existed.
    const caller = { provider: record?.provider ?? '', subject: fan.subject, userId: NOBODY }
    const write = (allowed: boolean) =>
      world.db.write(tx =>
        writeAsFan(tx, caller, { allowedWhenSuspended: allowed }, async ({ userId }) => {
          await tx.update(tx.tables.users).set({ bio: 'late' }).where(sql`${tx.tables.users.id} = ${userId}`)
        }),
      )
    const refused = await write(false).catch(error => error)
    expect(refused.code).toBe('suspended')
    expect((await fan.get('/api/user/profile')).body.bio).toBeNull()
    await write(true)
    expect((await fan.get('/api/user/profile')).body.bio).toBe('late')
  })
})
