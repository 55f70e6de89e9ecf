/** Memberships of a fan in the console, and the priority list as a file. */
import { beforeAll, expect, test } from 'bun:test'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { addAccount, addAccountRule } from '../../economy/accounts/accounts-world.ts'
import { addMembershipKind, putMembership, ticketOffice } from '../../play/memberships/memberships-world.ts'
import { expectStatus, patientFan, refusal } from '../../play/packs/packs-world.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

const reason = 'The fan called the hotline.'
const period = { startsAt: '2026-01-01T00:00:00.000Z', endsAt: '2036-01-01T00:00:00.000Z' }

onEachEngine('Memberships in the console', world => {
  const { as } = consoleOf(world)
  beforeAll(async () => {
    await addMembershipKind(world)
    await addMembershipKind(world, { id: 'old-card', name: 'Old card', active: false })
  })
  async function fanWithId() {
    const fan = await patientFan(world)
    return { fan, id: await userIdOf(world, fan) }
  }

  test('are written, changed and ended with a reason, which the audit log keeps', async () => {
    const { fan, id } = await fanWithId()
    const owner = as('owner')
    const own = { kindId: 'season-ticket', number: '0042', holder: 'Ada Okafor', ...period }
    const { ref } = expectStatus(200, await owner.post(`/api/fans/${id}/memberships`, { ...own, reason }))
    expect(ref).toMatch(/^staff-/)
    const changed = { ...own, number: '0043', ref, reason: 'The card was lost.' }
    expect(expectStatus(200, await owner.post(`/api/fans/${id}/memberships`, changed))).toMatchObject({
      ...{ ref, number: '0043', state: 'active' },
    })
    const { memberships, kinds } = expectStatus(200, await owner.get(`/api/fans/${id}/memberships`))
    expect(memberships).toMatchObject([{ ref, number: '0043', holder: 'Ada Okafor', since: period.startsAt }])
    expect(kinds).toEqual([{ id: 'season-ticket', name: 'Season ticket' }])
    const seen = expectStatus(200, await as('finance').get(`/api/fans/${id}/memberships`))
    expect(seen.memberships[0].holder).toBe('A. O.')

    const end = `/api/fans/${id}/memberships/${ref}/end`
    expect((await owner.post(end, { reason: 'Sold back.' })).status).toBe(204)
    expect((await owner.post(end, { reason: 'Sold back.' })).status).toBe(204)
    const list = expectStatus(200, await fan.get('/api/user/memberships'))
    expect(list.memberships).toMatchObject([{ ref, state: 'ended' }])
    const timeline = expectStatus(200, await owner.get(`/api/fans/${id}/timeline?kind=memberships`))
    expect(timeline.items).toHaveLength(2)
    const { entries } = expectStatus(200, await owner.get('/api/audit?limit=20'))
    const told = entries.filter(({ subject }: { subject: { id: string } }) => subject.id === id)
    expect(told.map(({ operation, reason }: Record<string, string>) => [operation, reason])).toEqual([
      ['endMembershipOfFan', 'Sold back.'],
      ['endMembershipOfFan', 'Sold back.'],
      ['writeMembershipOfFan', 'The card was lost.'],
      ['writeMembershipOfFan', reason],
    ])
    expect(JSON.stringify(told)).not.toContain('Ada')
  })

  test('of another fan are neither changed nor ended', async () => {
    const [{ fan, id }, other] = [await fanWithId(), await fanWithId()]
    const ref = `ST-console-${id}`
    await putMembership(await ticketOffice(world), world, fan, { ref, ...period })
    const terms = { ref, kindId: 'season-ticket', ...period, reason }
    const refused = await as('owner').post(`/api/fans/${other.id}/memberships`, terms)
    expect(refusal(refused)).toEqual([409, 'membership_of_another_fan'])
    const unended = await as('owner').post(`/api/fans/${other.id}/memberships/${ref}/end`, { reason })
    expect(refusal(unended)).toEqual([404, 'membership_not_found'])
    expect(refusal(await as('moderator').post(`/api/fans/${id}/memberships`, terms))).toEqual([
      403,
      'permission_denied',
    ])
    const unknown = { ...terms, kindId: 'unknown' }
    expect(refusal(await as('owner').post(`/api/fans/${id}/memberships`, unknown))).toEqual([
      422,
      'membership_kind_not_found',
    ])
    await world.db.write(tx => eraseUser(tx, { id }))
    expect(refusal(await as('owner').post(`/api/fans/${id}/memberships`, terms))).toEqual([
      404,
      'fan_not_found',
    ])
  })

  test('are in the priority list, which is exported as CSV and says what has happened since', async () => {
    const account = await addAccount(world, { window: null })
    const type = await addAccountRule(world, account)
    const { fan, id } = await fanWithId()
    const event = { source: 'gate', eventId: `console-${id}`, userId: id, type }
    await world.db.write(tx =>
      writeEvent(tx, { ...event, occurredAt: world.clock.now(), data: { points: 7 } }),
    )
    const office = await ticketOffice(world)
    await putMembership(office, world, fan, { ref: `ST-${id}`, number: '0042', ...period })
    world.clock.advance(1_000)
    const asOf = world.clock.now().toISOString()
    world.clock.advance(1_000)
    await putMembership(office, world, fan, { ref: `ST-${id}`, number: '0044', ...period })
    const owner = as('owner')
    const body = { account, membership: 'season-ticket', asOf, reason }
    const exported = await owner.post('/api/priority/export', body)
    expect(exported.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(exported.body).toMatch(
      new RegExp(`^place,userId,total,reachedAt,numbers\r\n1,${id},7,[^,]+,0044\r\n$`),
    )
    expect(expectStatus(200, await owner.get('/api/priority'))).toMatchObject({
      ...{ accounts: [{ id: account }], kinds: [{ id: 'season-ticket' }], changes: null },
    })
    const since = expectStatus(200, await owner.get(`/api/priority?account=${account}&asOf=${asOf}`))
    expect(since.changes).toMatchObject({ memberships: 1, added: 0, takenBack: 0 })
    const unknown = await owner.post('/api/priority/export', { account: 'unknown', reason })
    expect(refusal(unknown)).toEqual([404, 'account_not_found'])
  })
})
