/** Files with a row for each fan: rows are sent before the next page is read, and what refuses comes before the first one. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { writeEvent } from '../../src/economy/events/record-event.ts'
import { priorityCsv } from '../../src/fan/status/priority.ts'
import { segmentCsv } from '../../src/operate/admin/segments/segments.ts'
import { textFile } from '../../src/operate/console/contract/text-file.ts'
import { addAccount, addAccountRule } from '../economy/accounts/accounts-world.ts'
import { addFan, unique } from '../economy/rules/rules-world.ts'
import { onEachEngine } from '../support/world.ts'

onEachEngine('A file with a row for each fan', world => {
  test('of a segment is read page by page', async () => {
    const locale = unique('locale')
    const { users } = world.db.tables
    const setLocale = (userId: string, value: string) =>
      world.db.write(tx => tx.update(users).set({ locale: value }).where(eq(users.id, userId)))
    const fans = [await addFan(world), await addFan(world), await addFan(world)].toSorted()
    for (const userId of fans) await setLocale(userId, locale)
    const when = [{ fact: 'locale', op: 'eq' as const, value: locale }]
    const pieces = segmentCsv(world.db.read, when, 1)
    expect((await pieces.next()).value).toBe('userId,provider,subject,handle\r\n')
    expect((await pieces.next()).value).toStartWith(`${fans[0]},`)
    // Only a later read can see that this fan has left the segment.
    await setLocale(fans[1] ?? '', 'en')
    const rest = await Array.fromAsync(pieces)
    expect(rest.filter(piece => piece !== '').map(piece => piece.split(',')[0])).toEqual([fans[2]])
  })

  test('of a priority list is read page by page, and counts places through', async () => {
    const account = await addAccount(world, { window: null })
    const type = await addAccountRule(world, account)
    const { users } = world.db.tables
    const fans = [await addFan(world), await addFan(world), await addFan(world)]
    for (const [nth, userId] of fans.entries()) {
      const event = { source: 'gate', eventId: unique('entry'), userId, type, occurredAt: world.clock.now() }
      await world.db.write(tx => writeEvent(tx, { ...event, data: { points: 30 - nth } }))
    }
    const pieces = priorityCsv(world.db.read, { account, asOf: world.clock.now() }, 1)
    expect((await pieces.next()).value).toBe('place,userId,total,reachedAt,numbers\r\n')
    expect((await pieces.next()).value).toStartWith(`1,${fans[0]},30,`)
    // Only a later read can see that this fan is gone.
    await world.db.write(tx =>
      tx
        .update(users)
        .set({ erasedAt: world.clock.now() })
        .where(eq(users.id, fans[1] ?? '')),
    )
    const rest = (await Array.fromAsync(pieces)).filter(piece => piece !== '')
    expect(rest.map(piece => piece.split(',').slice(0, 3))).toEqual([['2', fans[2] ?? '', '28']])
  })
})

test('A file is produced as it is consumed, without empty chunks, and no further when the client is gone', async () => {
  const made: number[] = []
  let isEnded = false
  async function* pieces() {
    try {
      for (let nth = 1; nth <= 100; nth++) {
        made.push(nth)
        yield nth % 2 === 0 ? '' : `${nth}\r\n`
      }
    } finally {
      isEnded = true
    }
  }
  const file: Response = textFile({ name: 'rows.csv', type: 'text/csv' }, pieces())
  const reader = file.body?.getReader()
  const first = await reader?.read()
  expect(new TextDecoder().decode(first?.value)).toBe('1\r\n')
  expect(made.length).toBeLessThan(10)
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('3\r\n')
  await reader?.cancel()
  expect([made.length < 10, isEnded]).toEqual([true, true])
})
