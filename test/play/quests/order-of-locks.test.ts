/** A quest that is claimed by itself, while another process changes what decides who may claim. */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { runStatement } from '../../../db/schema/shape.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { lockAccount } from '../../../src/economy/points/account.ts'
import { commandOf } from '../../support/executable.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onServer } from '../../support/world.ts'
import { addCollectible, give, liveIn } from '../eligibility/eligibility-world.ts'
import { addMembershipKind, putMembership, ticketOffice } from '../memberships/memberships-world.ts'
import { linkAccount } from '../wallets/wallets-world.ts'
import { changeRows } from './deciding-rows.ts'
import { addQuest, progressRows, userIdOf } from './quests-world.ts'

onServer('An automatic claim during a change of what decides', world => {
  /** Another process with one unit of work, which waits for `begin`. */
  async function start(userId: string, action: 'record' | 'change', what: string) {
    const child = Bun.spawn(
      [...commandOf('test/play/quests/deciding-process.ts'), world.databaseUrl ?? '', userId, action, what],
      { cwd: `${import.meta.dir}/../../..`, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
    )
    let out = ''
    const ended = (async () => {
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) out += chunk
    })()
    const hasEnded = () => child.exitCode !== null
    await waitUntil('the other process has started', () => out !== '' || hasEnded())
    return {
      begin() {
        child.stdin.write('begin\n')
        child.stdin.end()
      },
      hasEnded,
      hasPrinted: (line: string) => out.includes(`${line}\n`),
      async attempts() {
        await ended
        expect(await child.exited).toBe(0)
        return Number(out.trim().split('\n').at(-1))
      },
    }
  }

  /** Whether another process waits for a lock. */
  async function isWaiting(tx: Transaction): Promise<boolean> {
    // A transaction sees what sessions do as of its first look.
    await runStatement(tx, sql`select pg_stat_clear_snapshot()`)
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await runStatement(tx, waiting)).length > 0
  }

  const CASES = [
    {
      title: 'the country of the profile',
      table: 'users',
      async prepare(fan: Fan) {
        await liveIn(fan, 'GB')
        return { notCountries: ['PT'] }
      },
    },
    {
      title: 'a membership',
      table: 'fan_memberships',
      async prepare(fan: Fan) {
        await addMembershipKind(world)
        const terms = { startsAt: '2026-08-01T00:00:00.000Z', endsAt: '2027-08-01T00:00:00.000Z' }
        expect((await putMembership(await ticketOffice(world), world, fan, terms)).status).toBeOneOf([
          200, 201,
        ])
        return { membership: ['season-ticket'] }
      },
    },
    {
      title: 'the owner of a collectible',
      table: 'user_items',
      async prepare(fan: Fan) {
        const collectibleId = await addCollectible(world)
        await give(world, fan, collectibleId)
        return { collectibleId }
      },
    },
    {
      title: 'a wallet',
      table: 'wallets',
      // Without a chain nobody holds anything: the fan claims by hand.
      isClaimed: false,
      async prepare(fan: Fan) {
        expect((await linkAccount(fan)).status).toBe(201)
        return { holds: { chainId: 1, contract: `0x${'a1'.repeat(20)}`, minimum: '1' } }
      },
    },
  ]

  async function setUp({ prepare }: Pick<(typeof CASES)[number], 'prepare'>) {
    const fan = await world.fan()
    const requires = await prepare(fan)
    const quest = await addQuest(world, { requires, reward: { points: 9 } })
    return { fan, quest, userId: await userIdOf(world, fan) }
  }

  const expectClaimed = async (fan: Fan, questId: string, isClaimed = true) =>
    expect(await progressRows(world, fan, questId)).toMatchObject([
      { completedAt: expect.any(Date), claimedAt: isClaimed ? expect.any(Date) : null },
    ])

  test.each(CASES)(
    'does not wait for $title with the ledger locked',
    async ({ table, isClaimed, prepare }) => {
      const { fan, quest, userId } = await setUp({ prepare })
      const recording = await start(userId, 'record', quest.type)
      let changes = 0
      await world.db.write(async tx => {
        await runStatement(tx, changeRows(table, userId))
        if (++changes === 1) recording.begin()
        const isOver = async () => recording.hasEnded() || (await isWaiting(tx))
        await waitUntil('the other process is at its end, or waits', isOver)
        await lockAccount(tx, userId)
      })
      expect([await recording.attempts(), changes]).toEqual([1, 1])
      await expectClaimed(fan, quest.id, isClaimed)
    },
  )

  test.each(CASES)(
    'does not deadlock with a change of $title that waits for the ledger',
    async ({ table, isClaimed, prepare }) => {
      const { fan, quest, userId } = await setUp({ prepare })
      const changing = await start(userId, 'change', table)
      let records = 0
      await world.db.write(async tx => {
        await lockAccount(tx, userId)
        if (++records === 1) changing.begin()
        const hasChanged = () => changing.hasPrinted('changed')
        await waitUntil('the other process waits', async () => hasChanged() && (await isWaiting(tx)))
        const event = { source: 'shop', eventId: userId, userId, type: quest.type, data: {} }
        await writeEvent(tx, { ...event, occurredAt: tx.now() })
      })
      expect([await changing.attempts(), records]).toEqual([1, 1])
      await expectClaimed(fan, quest.id, isClaimed)
    },
  )
})
