/** Types of events with the members of their data, by which rules are written without knowing a path. */
import { expect, test } from 'bun:test'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('types of events in the console', world => {
  const { as } = consoleOf(world)
  const read = async () => (await as('editor').get('/api/catalogue/rule/event-types')).body.types
  const typeOf = async (name: string) => (await read()).find(({ type }: { type: string }) => type === name)

  test('those of Matchday have their members in words, with the values that are possible', async () => {
    const checkedIn = await typeOf('match.checked_in')
    expect(checkedIn).toMatchObject({ title: 'Match checked in', isOwn: true })
    expect(checkedIn.members).toContainEqual({
      path: '/homeTeamId',
      title: 'Home team',
      kind: 'text',
      values: [],
    })
    const settled = await typeOf('prediction.settled')
    expect(settled.members.map(({ path }: { path: string }) => path)).toContain('/predicted/homeScore')
    const order = (await typeOf('order.line_changed')).members.find(
      ({ path }: { path: string }) => path === '/state',
    )
    expect(order.values).toContain('shipped')
  })

  test('those of other systems are seen among recent events, without the values of fans', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Ana Ruiz' })
    const { id: userId } = (await fan.get('/api/user/profile')).body
    const shop = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
    const { status } = await shop.post('/api/events', {
      events: [
        {
          id: 'sale/types',
          type: 'shop.purchase',
          fan: { userId },
          data: { amount: 500, gift: true, 'a/b': { city: 'secret-4711' }, list: [1] },
          occurredAt: world.clock.now().toISOString(),
        },
      ],
    })
    expect(status).toBe(200)
    const purchase = await typeOf('shop.purchase')
    expect(purchase).toMatchObject({ title: 'Shop purchase', isOwn: false })
    expect(purchase.members.map(({ path, kind }: { path: string; kind: string }) => [path, kind])).toEqual([
      ['/amount', 'number'],
      ['/a~1b/city', 'text'],
      ['/gift', 'flag'],
      ['/list', 'other'],
    ])
    expect(JSON.stringify(await read())).not.toContain('secret-4711')
  })
})
