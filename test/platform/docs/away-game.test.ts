/** The sale of docs/memberships.md for an away game, with its commands and its file. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { addAccountRule, DAY } from '../../economy/accounts/accounts-world.ts'
import { putMembership, ticketOffice } from '../../play/memberships/memberships-world.ts'
import { expectStatus, patientFan } from '../../play/packs/packs-world.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import { runScript } from '../../scripts/run-script.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const page = await Bun.file(`${import.meta.dir}/../../../docs/memberships.md`).text()
const files = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']): object => JSON.parse(json))
const fileWith = (list: string) => files.find(file => list in file) ?? {}
const commands = [...page.matchAll(/^ *bun run (priority-list .*) > /gm)].map(([, line = '']) =>
  line.split(' '),
)

onEngine(sqliteEngine, 'The away game of docs/memberships.md', world => {
  const run = async (name: string, parameters: string[]) => {
    const done = await runScript(name, parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })
    expect(done.code).toBe(0)
    return done.out
  }

  test('lists the fans of both windows, and sells to them alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-away-'))
    const path = join(folder, 'catalogue.json')
    const importFile = async (file: object) => {
      writeFileSync(path, JSON.stringify(file))
      await run('import-catalog', [path])
    }
    await importFile({ ...fileWith('accounts'), ...fileWith('memberships') })
    const sale = fileWith('products')
    await importFile(sale)

    const type = await addAccountRule(world, 'status')
    const office = await ticketOffice(world)
    const [gold, silver, guest] = [await patientFan(world), await patientFan(world), await patientFan(world)]
    const at = (days: number) => new Date(world.clock.ms + days * DAY).toISOString()
    for (const [fan, points] of [
      [gold, 2_400],
      [silver, 700],
      [guest, 3_000],
    ] as const) {
      const userId = await userIdOf(world, fan)
      const event = { source: 'gate', eventId: fan.subject, userId, type, data: { points } }
      await world.db.write(tx => writeEvent(tx, { ...event, occurredAt: tx.now() }))
      if (fan !== guest)
        expectStatus(201, await putMembership(office, world, fan, { startsAt: at(-1), endsAt: at(200) }))
    }
    world.clock.advance(60_000)
    const asOf = world.clock.now().toISOString()
    const lists = await Promise.all(
      commands.map(([name = '', ...parameters]) => {
        const time = parameters.indexOf('--as-of') + 1
        return run(name, parameters.with(time, asOf))
      }),
    )
    const totals = lists.map(csv =>
      csv
        .trim()
        .split('\r\n')
        .slice(1)
        .map(line => Number(line.split(',')[2])),
    )
    expect(totals).toEqual([[2_400], [2_400, 700]])

    const buy = async (fan: typeof gold) => {
      const { status, body } = await fan.post('/api/checkout', {
        lines: [{ productId: 'away-ticket', variantId: 'away-end', quantity: 1 }],
      })
      return body.code ?? status
    }
    expect(await buy(gold)).toBe(201)
    expect(await buy(gold)).toBe('limit_reached')
    expect(await buy(silver)).toBe('tier_required')
    expect(await buy(guest)).toBe('membership_required')
    await importFile(JSON.parse(JSON.stringify(sale).replace('"atLeast":"gold"', '"atLeast":"silver"')))
    expect(await buy(silver)).toBe(201)
    expect(await buy(guest)).toBe('membership_required')
    rmSync(folder, { recursive: true })
  })
})
