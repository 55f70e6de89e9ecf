/** Lockers: what a fan shows, and which fans see it. */

import { describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { block, follow, type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { overrideSettings } from '../../support/settings.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addPack, buy, expectStatus, FREE, open, refusal } from '../packs/packs-world.ts'

type Item = Record<'collectibleId', string> & { serialNumber: number }

/** The items of a pack that the fan opens. */
async function drawnItems(world: World, fan: NamedFan): Promise<Item[]> {
  const { userPack } = await buy(fan, await addPack(world, { price: FREE }))
  const { items } = expectStatus(200, await open(fan, userPack.id))
  return items.map(({ id, serialNumber }: { id: string; serialNumber: number }) => ({
    collectibleId: id,
    serialNumber,
  }))
}

const lockerOf = (items: Item[], title = 'Derby days') => ({
  title,
  theme: 'night',
  shelves: [{ title: 'Goals', items }],
})

const shownItems = (locker: { shelves: { items: Item[] }[] }) =>
  locker.shelves.flatMap(({ items }) =>
    items.map(({ collectibleId, serialNumber }) => ({ collectibleId, serialNumber })),
  )

const missing = [404, 'locker_not_found']

onEachEngine('A locker', world => {
  const write = (fan: NamedFan, body: unknown) => fan.put('/api/user/locker', body)

  async function fanWithLocker() {
    const fan = await namedFan(world)
    const items = await drawnItems(world, fan)
    return { fan, items, locker: expectStatus(200, await write(fan, lockerOf(items))) }
  }

  test('is empty until it is written, and is then replaced whole', async () => {
    const fan = await namedFan(world)
    const empty = { title: '', theme: 'classic', shelves: [] }
    expect(expectStatus(200, await fan.get('/api/user/locker'))).toEqual(empty)
    expect(refusal(await world.anonymous.get(`/api/lockers/${fan.handle}`))).toEqual(missing)
    const items = await drawnItems(world, fan)
    const written = expectStatus(200, await write(fan, lockerOf(items.toReversed(), '  Trimmed ')))
    expect(written.title).toBe('Trimmed')
    expect(written.shelves[0].items[0]).toMatchObject({ name: expect.any(String), imageUrl: null })
    expect(shownItems(written)).toEqual(items.toReversed())
    expectStatus(200, await write(fan, lockerOf(items.slice(0, 1))))
    expect(shownItems((await fan.get('/api/user/locker')).body)).toEqual(items.slice(0, 1))
  })

  test('is shown with handle, name and picture, and its title on the page of the fan', async () => {
    const { fan, locker } = await fanWithLocker()
    expect(expectStatus(200, await world.anonymous.get(`/api/lockers/${fan.handle}`))).toEqual({
      handle: fan.handle,
      displayName: `Name of ${fan.handle}`,
      avatarUrl: `https://pictures.example/${fan.handle}`,
      ...locker,
    })
    const page = expectStatus(200, await world.anonymous.get(`/api/fans/${fan.handle}`))
    expect(page.locker).toEqual({ title: 'Derby days', theme: 'night' })
  })

  test('accepts only items of the fan, and reports each other item', async () => {
    const { fan, items, locker } = await fanWithLocker()
    const other = await namedFan(world)
    const [theirs] = await drawnItems(world, other)
    if (!theirs || !items[0]) throw new Error('each has drawn items')
    const unknown = { collectibleId: 'unknown', serialNumber: 1 }
    const answer = await write(fan, lockerOf([items[0], theirs, unknown]))
    expect(refusal(answer)).toEqual([409, 'item_not_owned'])
    const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers).toEqual(['/shelves/0/items/1', '/shelves/0/items/2'])
    expect((await fan.get('/api/user/locker')).body).toEqual(locker)
  })

  test('loses a traded item', async () => {
    const { fan, items } = await fanWithLocker()
    const other = await namedFan(world)
    const [gone, ...kept] = items
    if (!gone) throw new Error('the fan has drawn items')
    await world.db.write(async tx => {
      const { userItems } = tx.tables
      const isGone = and(
        eq(userItems.collectibleId, gone.collectibleId),
        eq(userItems.serialNumber, gone.serialNumber),
      )
      await tx.update(userItems).set({ ownerId: other.id, changedHandsAt: tx.now() }).where(isGone)
    })
    expect(shownItems((await fan.get('/api/user/locker')).body)).toEqual(kept)
    expect(shownItems((await other.get(`/api/lockers/${fan.handle}`)).body)).toEqual(kept)
    expect(refusal(await write(fan, lockerOf(items)))).toEqual([409, 'item_not_owned'])
    expectStatus(200, await write(other, lockerOf([gone])))
  })

  test.each([
    [
      'an item twice',
      {
        ...lockerOf([]),
        shelves: [1, 2].map(() => ({ title: '', items: [{ collectibleId: 'a', serialNumber: 1 }] })),
      },
    ],
    ['an unknown theme', { ...lockerOf([]), theme: 'neon' }],
    ['a long title', lockerOf([], 'x'.repeat(51))],
    ['a title that reorders text', lockerOf([], 'a\u202eb')],
    ['a title with stacked marks', lockerOf([], 'a\u0334\u0335\u0336b')],
    ['a title that shows nothing', lockerOf([], '\u2800')],
    ['six shelves', { ...lockerOf([]), shelves: Array(6).fill({ title: '', items: [] }) }],
  ])('refuses %s', async (_, body) => {
    expect(refusal(await write(await namedFan(world), body))).toEqual([422, 'validation_failed'])
  })

  test('has titles that the filter allows', async () => {
    const fan = await namedFan(world)
    const end = overrideSettings(world.db, { textFilter: 'block', textFilterList: ['badword'] })
    const body = { ...lockerOf([], 'badword'), shelves: [{ title: 'a badword', items: [] }] }
    const answer = await write(fan, body)
    end()
    expect(refusal(answer)).toEqual([422, 'text_not_allowed'])
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/title',
      '/shelves/0/title',
    ])
  })

  describe.each([
    { setting: 'public', stranger: 200, follower: 200 },
    { setting: 'followers', stranger: 404, follower: 200 },
    { setting: 'private', stranger: 404, follower: 404 },
  ])('that is $setting', ({ setting, stranger, follower }) => {
    test('is shown as the setting says, at once', async () => {
      const { fan } = await fanWithLocker()
      const [one, two] = [await namedFan(world), await namedFan(world)]
      await follow(two, fan.handle)
      expectStatus(200, await fan.patch('/api/user/privacy', { locker: setting }))
      for (const [reader, status] of [
        [world.anonymous, stranger],
        [one, stranger],
        [two, follower],
        [fan, 200],
      ] as const) {
        const answer = await reader.get(`/api/lockers/${fan.handle}`)
        expect(status === 200 ? answer.status : refusal(answer)).toEqual(status === 200 ? 200 : missing)
        const { locker } = (await reader.get(`/api/fans/${fan.handle}`)).body
        expect(locker === null).toBe(status === 404)
      }
    })
  })

  test('is not found by a fan who is blocked, nor by anyone once a moderator hides its fan', async () => {
    const { fan } = await fanWithLocker()
    const blocked = await namedFan(world)
    await block(fan, blocked.handle)
    const unknown = [404, 'fan_not_found']
    expect(refusal(await blocked.get(`/api/lockers/${fan.handle}`))).toEqual(unknown)
    await world.db.write(async tx => {
      const { users } = tx.tables
      await tx.update(users).set({ hiddenAt: tx.now() }).where(eq(users.id, fan.id))
    })
    expect(refusal(await world.anonymous.get(`/api/lockers/${fan.handle}`))).toEqual(unknown)
    expectStatus(200, await fan.get(`/api/lockers/${fan.handle}`))
  })

  test('needs a signed-in fan', async () => {
    const unauthenticated = [401, 'unauthenticated']
    expect(refusal(await world.anonymous.get('/api/user/locker'))).toEqual(unauthenticated)
    expect(refusal(await world.anonymous.put('/api/user/locker', lockerOf([])))).toEqual(unauthenticated)
  })
})
