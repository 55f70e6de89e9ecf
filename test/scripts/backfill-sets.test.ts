/** `bun run backfill-sets`: completes sets of fans who own their items already. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { backfillSet, listActiveSets, listFansWithSet } from '../../src/operate/admin/backfill-sets.ts'
import { type NamedFan, namedFan } from '../identity/relations/relations-world.ts'
import { entriesOf, expectStatus } from '../play/packs/packs-world.ts'
import { addCollectibles, addSet, give, importSet, readSet } from '../play/sets/sets-world.ts'
import { accept, offer } from '../play/trades/trades-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEachEngine, onEngine, type World } from '../support/world.ts'
import { runScript } from './run-script.ts'

/** A fan who owns two collectibles, and a set of them that is added afterwards. */
async function lateSet(world: World, members: Parameters<typeof addSet>[1] = {}) {
  const fan = await namedFan(world)
  const collectibleIds = await addCollectibles(world, 2)
  await give(world, fan.id, collectibleIds)
  return { fan, set: await addSet(world, { collectibleIds, ...members }) }
}

async function listFans(world: World, setId: string): Promise<string[]> {
  return Array.fromAsync(listFansWithSet(world.db.read, setId))
}

onEachEngine('The backfill of a set', world => {
  const backfill = (fan: NamedFan, setId: string) => world.db.write(tx => backfillSet(tx, fan.id, setId))

  test('finds fans who own all items now, and gives the reward and the event once', async () => {
    const { fan, set } = await lateSet(world, { reward: { points: 40 } })
    const half = await namedFan(world)
    await give(world, half.id, set.collectibleIds.slice(0, 1))
    expect(await readSet(fan, set)).toMatchObject({ owned: 2, completedAt: null })
    expect(await listFans(world, set.id)).toEqual([fan.id])
    expect([await backfill(fan, set.id), await backfill(fan, set.id)]).toEqual([true, false])
    expect(await backfill(half, set.id)).toBe(false)
    expect(await readSet(fan, set)).toMatchObject({ completedAt: expect.any(String) })
    expect(await entriesOf(fan, 'set')).toMatchObject([{ delta: 40, ref: set.id }])
    const { events } = world.db.tables
    const rows = await world.db.read
      .select()
      .from(events)
      .where(eq(events.userId, fan.id))
      .orderBy(events.sequence)
    expect(rows.filter(({ type }) => type === 'set.completed')).toHaveLength(1)
    expect(await listFans(world, set.id)).toEqual([])
  })

  test('counts an item that came by a gift, and not one that was given away', async () => {
    const { fan, set } = await lateSet(world)
    const friend = await namedFan(world)
    await give(world, friend.id, set.collectibleIds.slice(1))
    const item = { collectibleId: set.collectibleIds[0] ?? '', serialNumber: 1 }
    const gift = expectStatus(201, await offer(fan, friend.handle, [item]))
    await world.db.write(tx => tx.update(tx.tables.sets).set({ active: false }))
    expectStatus(200, await accept(friend, gift))
    expect(await listFans(world, set.id)).toEqual([friend.id])
    expect(await backfill(fan, set.id)).toBe(false)
    expect(await listActiveSets(world.db.read)).toEqual([])
  })

  test('completes a set from which an item was removed, and skips erased fans', async () => {
    const { fan, set } = await lateSet(world)
    const { fan: gone } = await lateSet(world)
    await give(world, gone.id, set.collectibleIds)
    const [other = ''] = await addCollectibles(world, 1)
    const bigger = { ...set, collectibleIds: [...set.collectibleIds, other] }
    await importSet(world, bigger)
    expect(await listFans(world, set.id)).toEqual([])
    await importSet(world, set)
    await world.db.write(tx => eraseUser(tx, { id: gone.id }))
    expect(await listFans(world, set.id)).toEqual([fan.id])
    expect(await backfill(gone, set.id)).toBe(false)
  })
})

onEngine(sqliteEngine, 'bun run backfill-sets', world => {
  test('shows what it would do, completes every active set, and does nothing the second time', async () => {
    // As the command.
    world.clock.ms = Date.now()
    const { set } = await lateSet(world, { reward: { points: 5 } })
    const { set: other } = await lateSet(world)
    const database = ['--database', world.databaseUrl ?? '']
    const run = (...parameters: string[]) => runScript('backfill-sets', [...parameters, ...database])
    const linesOf = (verb: string, counts: [id: string, fans: number][]) =>
      counts.map(([id, fans]) => `${id}: ${fans} fans ${verb} it\n`).join('')

    const dry = await run('--dry-run')
    expect(dry.out).toStartWith(
      linesOf('would complete', [
        [set.id, 1],
        [other.id, 1],
      ]),
    )
    expect(dry.out).toContain('2 rows would change')
    expect((await run(other.id)).out).toStartWith(linesOf('completed', [[other.id, 1]]))
    const all = await run('--json')
    expect(JSON.parse(all.out)).toMatchObject({ completed: { [set.id]: 1, [other.id]: 0 }, changed: 1 })
    const again = await run('--json')
    expect(JSON.parse(again.out)).toMatchObject({ completed: { [set.id]: 0, [other.id]: 0 }, changed: 0 })
    const unknown = await run('nothing')
    expect([unknown.code, unknown.err]).toEqual([1, 'There is no active set nothing.\n'])
  })
})
