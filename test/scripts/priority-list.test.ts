/** `bun run priority-list`: what a ticket office downloads for an away game, and again a month later. */
import { expect, test } from 'bun:test'
import { insertNewRows } from '../../db/bulk.ts'
import { basisOf, getAccountSet } from '../../src/economy/accounts/account-set.ts'
import { writeEvent } from '../../src/economy/events/record-event.ts'
import { voidEvent } from '../../src/economy/events/void-event.ts'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { addAccount, addAccountRule, DAY } from '../economy/accounts/accounts-world.ts'
import { addMembershipKind, putMembership, ticketOffice } from '../play/memberships/memberships-world.ts'
import { expectStatus, patientFan } from '../play/packs/packs-world.ts'
import { userIdOf } from '../play/quests/quests-world.ts'
import { onEachEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

onEachEngine(
  'bun run priority-list',
  world => {
    const run = async (...parameters: string[]) => {
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      return runScript('priority-list', ['--account', 'status', ...parameters], { env })
    }

    test('prints the list as CSV, the same a month later, and tells what has happened since', async () => {
      const account = await addAccount(world, { id: 'status', window: null })
      const type = await addAccountRule(world, account)
      await addMembershipKind(world)
      const office = await ticketOffice(world)
      const fans = [await patientFan(world), await patientFan(world), await patientFan(world)]
      const ids = await Promise.all(fans.map(fan => userIdOf(world, fan)))
      const earn = async (nth: number, points: number) => {
        world.clock.advance(1_000)
        const event = { source: 'gate', eventId: `game-${nth}-${points}`, userId: ids[nth] ?? '', type }
        await world.db.write(tx =>
          writeEvent(tx, { ...event, occurredAt: world.clock.now(), data: { points } }),
        )
      }
      for (const [nth, points] of [30, 50, 40].entries()) await earn(nth, points)
      const at = (days: number) => new Date(world.clock.ms + days * DAY).toISOString()
      for (const [nth, number] of ['0042', '7, "old"'].entries())
        expectStatus(
          201,
          await putMembership(office, world, fans[nth] ?? { subject: '' }, {
            ...{ number, startsAt: at(-1), endsAt: at(200) },
          }),
        )
      world.clock.advance(60_000)
      const asOf = world.clock.now().toISOString()
      const filter = ['--membership', 'season-ticket', '--from', '30', '--as-of', asOf]
      const reached = (await run('--json', ...filter)).out
      const [first, second] = JSON.parse(reached).entries
      const csv = [
        'place,userId,total,reachedAt,numbers',
        `1,${ids[1]},50,${first.reachedAt},"7, ""old"""`,
        `2,${ids[0]},30,${second.reachedAt},0042\r\n`,
      ].join('\r\n')
      expect(await run('--csv', ...filter)).toMatchObject({
        ...{ code: 0, out: csv },
        err: 'Nothing that concerns the list has changed since.\n',
      })
      world.clock.advance(30 * DAY)
      await world.db.write(tx => voidEvent(tx, { source: 'gate', eventId: 'game-1-50' }))
      await earn(0, 500)
      const later = await run('--csv', ...filter)
      expect(later).toMatchObject({ code: 0, out: csv })
      expect(later.err).toBe('Since then 1 entry was taken back.\n')
      await world.db.write(tx => eraseUser(tx, { id: ids[1] ?? '' }))
      const { out } = await run('--json', ...filter)
      expect(JSON.parse(out)).toMatchObject({
        ...{ asOf, entries: [{ userId: ids[0], total: 30 }] },
        changes: { added: 0, takenBack: 1, erased: 1, merged: 0, catalogue: false },
      })
      const now = JSON.parse((await run('--json')).out)
      expect(now.changes).toBeNull()
      expect(now.entries[0]).toMatchObject({ userId: ids[0], total: 530 })
    })

    test('prints a list of several parts as one JSON document, and an empty one', async () => {
      await addAccount(world, { id: 'status', window: null })
      expect(JSON.parse((await run('--json')).out)).toMatchObject({ entries: [], changes: null })
      const account = (await getAccountSet(world.db.read)).accounts.get('status')
      if (!account) throw new Error('the account is not stored')
      const basis = basisOf(account, null)
      const now = world.clock.now()
      const idOf = (n: number) => `fan-${String(n).padStart(4, '0')}`
      const fans = Array.from({ length: 2_000 }, (_, n) => ({ id: idOf(n), total: 5_000 - n }))
      await world.db.write(async tx => {
        const times = { createdAt: now, updatedAt: now }
        const { users, fanAccounts } = tx.tables
        await insertNewRows(
          tx,
          users,
          fans.map(({ id }) => ({ id, provider: 'office', subject: id, ...times })),
        )
        await insertNewRows(
          tx,
          fanAccounts,
          fans.map(({ id, total }) => ({
            ...{ userId: id, accountId: 'status', balance: total, seq: 1, headHash: 'h' },
            ...{ minusTotal: -total, reachedAt: now, basis, updatedAt: now },
          })),
        )
      })
      const { entries } = JSON.parse((await run('--json', '--as-of', now.toISOString())).out)
      expect(entries.map(({ userId }: { userId: string }) => userId)).toEqual(fans.map(({ id }) => id))
    })

    test('refuses an unknown account, a total that is none, and a time in the future', async () => {
      expect((await run()).code).toBe(1)
      await addAccount(world, { id: 'status', window: null })
      expect((await run('--from', '0')).code).toBe(2)
      expect((await run('--as-of', '2999-01-01T00:00:00Z')).code).toBe(2)
    })
  },
  { worldPer: 'test' },
)
