/** `bun run import-events`: events of a spreadsheet earn points as those of the API do, once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowFileOf } from '../../scripts/command/row-file.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { upsertRule } from '../../src/economy/rules/rule-kind.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { readEvents } from '../../src/operate/admin/import/read-events.ts'
import { engines } from '../support/engines.ts'
import { holdAt } from '../support/hold-at.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine, type World } from '../support/world.ts'
import { runScript, startScript } from './run-script.ts'

const HOUR = 3_600_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-import-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(text: string | Uint8Array, extension = 'ndjson'): string {
  const path = join(folder, `events-${++files}.${extension}`)
  writeFileSync(path, text)
  return path
}
const linesOf = (events: object[]) => events.map(event => `${JSON.stringify(event)}\n`).join('')

/** Commands have the real clock. */
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

async function importEvents({ config, databaseUrl }: World, path: string, ...parameters: string[]) {
  const env = { DATABASE_URL: databaseUrl ?? '', IDP_NAME: config.identity.name }
  const { code, out, err } = await runScript('import-events', [path, ...parameters, '--json'], { env })
  return { code, err, json: out === '' ? null : JSON.parse(out) }
}

for (const engine of engines) {
  onEngine(engine, 'bun run import-events', world => {
    beforeAll(() =>
      world.db.write(async tx => {
        const points = { per: '/amount', every: 100, points: 1 }
        await upsertRule(tx, { id: 'shop', name: 'Shop', eventType: 'shop.purchase', points })
        const visit = { id: 'visit', name: 'Visit', eventType: 'ticket.scanned', points: { fixed: 50 } }
        await upsertRule(tx, { ...visit, limit: { count: 1, per: 'ever' } })
      }),
    )
    const balanceOf = async (subject: string) => {
      const fan = world.withToken(await world.idp.issueToken(subject))
      return (await fan.get('/api/user/points')).body.balance
    }
    const stored = async (source: string) =>
      (await world.db.read.select().from(world.db.tables.events)).filter(event => event.source === source)

    test('imports a spreadsheet; a dry run writes nothing, and a second run changes nothing', async () => {
      const path = fileOf(
        [
          'id,type,occurredAt,subject,data.amount,data.shop',
          `p-1,shop.purchase,${ago(HOUR)},fan-0110,2599,north`,
          `p-2,shop.purchase,${ago(2 * HOUR)},fan-0111,100,007`,
          `p-3,shop.returned,${ago(HOUR)},fan-0111,100,`,
        ].join('\r\n'),
        'csv',
      )
      const said = { applied: 2, duplicate: 0, ignored: 1, refused: 0, invalid: 0, points: 26, errors: [] }
      const dry = await importEvents(world, path, '--source', 'till', '--dry-run')
      expect(dry).toMatchObject({ code: 0, json: { ...said, changed: 3, dryRun: true } })
      expect(await stored('till')).toEqual([])
      expect(await balanceOf('fan-0110')).toBe(0)

      expect(await importEvents(world, path, '--source', 'till')).toMatchObject({ code: 0, json: said })
      expect([await balanceOf('fan-0110'), await balanceOf('fan-0111')]).toEqual([25, 1])
      const data = (await stored('till')).map(event => [event.eventId, event.data])
      expect(Object.fromEntries(data)).toEqual({
        'p-1': '{"amount":2599,"shop":"north"}',
        'p-2': '{"amount":100,"shop":"007"}',
        'p-3': '{"amount":100}',
      })
      expect(await importEvents(world, path, '--source', 'till')).toMatchObject({
        code: 0,
        json: { applied: 0, duplicate: 3, ignored: 0, points: 0, changed: 0 },
      })
      expect([await balanceOf('fan-0110'), await balanceOf('fan-0111')]).toEqual([25, 1])
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('reads numbers in the formats of other programs, and refuses ambiguous ones with their place', async () => {
      const path = fileOf(
        [
          'id,type,occurredAt,subject,data.amount',
          ...['500.00', '500 ', '0500', '+500', '500'].map(
            (cell, n) => `w-${n},shop.purchase,${ago(HOUR)},fan-0120,${cell}`,
          ),
          ...['5e2', 'TRUE', '"1,234"', 'n/a', '12345678901234567'].map(
            (cell, n) => `w-x${n},shop.purchase,${ago(HOUR)},fan-0120,${cell}`,
          ),
        ].join('\n'),
        'csv',
      )
      const { code, json } = await importEvents(world, path, '--source', 'cells', '--skip-invalid')
      expect([code, json.applied, json.invalid, json.points]).toEqual([1, 5, 5, 25])
      expect(json.errors.map(({ line, field }: { line: number; field: string }) => [line, field])).toEqual(
        [7, 8, 9, 10, 11].map(line => [line, 'data.amount']),
      )
      const data = (await stored('cells')).map(event => event.data)
      expect(new Set(data)).toEqual(new Set(['{"amount":500}']))
    })

    test('a column has the type that the operator states, and another flag is refused', async () => {
      const path = fileOf(
        `id,type,occurredAt,subject,data.gate,data.amount\nt-1,shop.purchase,${ago(HOUR)},fan-0121,7,12.5\n`,
        'csv',
      )
      const stated = await importEvents(world, path, '--source', 'stated', '--column', 'gate=text')
      expect(stated).toMatchObject({ code: 0, json: { applied: 1 } })
      expect((await stored('stated')).map(({ data }) => data)).toEqual(['{"gate":"7","amount":12.5}'])
      expect((await importEvents(world, path, '--column', 'gate=date')).code).toBe(2)
    })

    test('a dry run lists the lines whose data gives no points', async () => {
      const provider = world.config.identity.name
      const event = (id: string, data?: object) => ({
        ...{ id, type: 'shop.purchase', occurredAt: ago(HOUR), fan: { provider, subject: 'fan-0122' } },
        ...(data ? { data } : {}),
      })
      const path = fileOf(
        linesOf([event('u-1', { amount: 500 }), event('u-2', { amount: -500 }), event('u-3')]),
      )
      const { code, json } = await importEvents(world, path, '--source', 'unread', '--dry-run')
      expect([code, json.applied, json.unread, json.points]).toEqual([0, 3, 2, 5])
      expect(json.warnings).toEqual([
        { line: 2, field: 'data/amount', message: 'is negative, so the rule shop gives no points' },
        { line: 3, field: 'data/amount', message: 'is missing, so the rule shop gives no points' },
      ])
    })

    /** A rule that reads a boolean, and a member in two types. A repeat changes nothing. */
    function addTypedRule() {
      const when = [
        { path: '/order/paid', op: 'eq' as const, value: true },
        { path: '/code', op: 'in' as const, value: ['a', 7] },
      ]
      const rule = { id: 'typed', name: 'Typed', eventType: 'typed.bought', when, points: { fixed: 5 } }
      return world.db.write(tx => upsertRule(tx, rule))
    }

    test('data of another type than rules read is an invalid line with its place, in NDJSON and in a column of JSON', async () => {
      const provider = world.config.identity.name
      await addTypedRule()
      const cases: [object, string | null][] = [
        [{ amount: '500.00' }, 'amount'],
        [{ amount: true }, 'amount'],
        [{ amount: [500] }, 'amount'],
        [{ amount: 500 }, null],
        [{ amount: null }, null],
        [{}, null],
      ]
      const typed: [object, string | null][] = [
        [{ order: { paid: 'TRUE' } }, 'order/paid'],
        [{ order: { paid: true }, code: true }, 'code'],
        [{ order: { paid: true }, code: 7 }, null],
        [{ order: { paid: true }, code: 'a' }, null],
      ]
      const rows = [
        ...cases.map(([data, place]) => ({ type: 'shop.purchase', data, place })),
        ...typed.map(([data, place]) => ({ type: 'typed.bought', data, place })),
      ].map((row, n) => ({ ...row, id: `t-${n}`, occurredAt: ago(HOUR) }))
      const ndjson = linesOf(
        rows.map(({ place: _, ...event }) => ({ ...event, fan: { provider, subject: 'fan-0123' } })),
      )
      const csv = rows.map(
        ({ id, type, occurredAt, data }) =>
          `${id},${type},${occurredAt},fan-0123,"${JSON.stringify(data).replaceAll('"', '""')}"`,
      )
      const expected = (header: number) =>
        rows.flatMap(({ place }, n) => (place ? [[n + 1 + header, `data/${place}`]] : []))
      for (const [source, header, text] of [
        ['lines', 0, ndjson],
        ['cells', 1, ['id,type,occurredAt,subject,data', ...csv].join('\n')],
      ] as const) {
        const path = fileOf(text, header ? 'csv' : 'ndjson')
        const { code, json } = await importEvents(
          world,
          path,
          '--source',
          `typed-${source}`,
          '--skip-invalid',
        )
        expect([code, json.invalid, json.applied, json.points]).toEqual([1, 5, 5, 15])
        expect(json.errors.map(({ line, field }: { line: number; field: string }) => [line, field])).toEqual(
          expected(header),
        )
      }
    })

    test('a column that rules read in two types needs one that the operator states', async () => {
      await addTypedRule()
      const path = fileOf(
        `id,type,occurredAt,subject,data.code,data.order\nc-1,typed.bought,${ago(HOUR)},fan-0124,7,x\n`,
        'csv',
      )
      const refused = await importEvents(world, path, '--source', 'two')
      expect(refused).toMatchObject({ code: 1, json: { errors: [{ line: 2, field: 'data.code' }] } })
      expect(await importEvents(world, path, '--source', 'two', '--column', 'code=number')).toMatchObject({
        code: 0,
        json: { applied: 1 },
      })
      expect((await stored('two')).map(({ data }) => data)).toEqual(['{"code":7,"order":"x"}'])
    })

    test('white space around a cell changes neither the event nor the fan', async () => {
      const provider = world.config.identity.name
      const row = (id: string, subject: string) => `${id},shop.purchase,${ago(HOUR)},${subject},100`
      const path = fileOf(
        [
          'id,type,occurredAt,subject,data.amount',
          ...[
            row('s-1', 'fan-0125'),
            row('s-1 ', 'fan-0125'),
            row('s-2', '"fan-0125\u00a0"'),
            row(' s-3', '\t'),
          ],
        ].join('\n'),
        'csv',
      )
      const { json } = await importEvents(world, path, '--source', 'spaces', '--skip-invalid')
      expect(json.errors).toEqual([
        { line: 3, field: 'id', message: 'is a duplicate of line 2' },
        expect.objectContaining({ line: 5, field: 'fan' }),
      ])
      expect((await stored('spaces')).map(({ eventId }) => eventId).toSorted()).toEqual(['s-1', 's-2'])
      expect(await balanceOf('fan-0125')).toBe(2)
      const event = { id: 's-9 ', type: 'shop.purchase', occurredAt: ago(HOUR), data: { amount: 1 } }
      const lines = fileOf(linesOf([{ ...event, fan: { provider, subject: ' fan-0125' } }]))
      const padded = await importEvents(world, lines, '--source', 'spaces')
      expect(padded.json.errors.map(({ field }: { field: string }) => field)).toEqual(['id', 'fan/subject'])
    })

    test('--decimal decides the value of 1.234 between semicolons', async () => {
      const path = fileOf(
        `id;type;occurredAt;subject;data.amount\nd-1;shop.purchase;${ago(HOUR)};fan-0126;1.234\n`,
        'csv',
      )
      const refused = await importEvents(world, path, '--source', 'decimal')
      expect(refused.json.errors).toEqual([
        {
          line: 2,
          field: 'data.amount',
          message: 'could be thousands or a fraction: write it without a separator',
        },
      ])
      const stated = await importEvents(world, path, '--source', 'decimal', '--decimal', 'point')
      expect(stated).toMatchObject({ code: 0, json: { applied: 1 } })
      expect((await stored('decimal')).map(({ data }) => data)).toEqual(['{"amount":1.234}'])
    })

    test('a dry run earns what the import earns, under budgets and limits', async () => {
      const rule = { id: 'season', name: 'Season', eventType: 'season.opened', points: { fixed: 5 } }
      await world.db.write(tx => upsertRule(tx, { ...rule, budget: 10 }))
      const events = Array.from({ length: 100 }, (_, n) => ({
        ...{ id: `o-${n}`, type: n % 2 ? 'season.opened' : 'ticket.scanned', occurredAt: ago(HOUR) },
        fan: { provider: world.config.identity.name, subject: `fan-02${10 + (n % 8)}` },
      }))
      const path = fileOf(linesOf(events))
      // Eight fans: the visits of four of them, and two grants of the budget.
      const said = { applied: 100, refused: 0, points: 4 * 50 + 10, changed: 100 }
      expect(await importEvents(world, path, '--source', 'season', '--dry-run')).toMatchObject({
        code: 0,
        json: said,
      })
      expect(await stored('season')).toEqual([])
      expect(await importEvents(world, path, '--source', 'season')).toMatchObject({ code: 0, json: said })
    })

    test('an event that the system also reported to the API is a duplicate', async () => {
      const gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
      world.clock.ms = Date.now()
      const fan = { provider: world.config.identity.name, subject: 'fan-0112' }
      const scan = { id: 's-1', type: 'ticket.scanned', fan, occurredAt: ago(HOUR) }
      expect((await gate.post('/api/events', { events: [scan] })).body.results[0].outcome).toBe('applied')
      const path = fileOf(linesOf([scan, { ...scan, id: 's-2' }]))
      // The limit of the rule: one grant per fan.
      expect(await importEvents(world, path, '--source', 'gate')).toMatchObject({
        code: 0,
        json: { duplicate: 1, applied: 1, points: 0 },
      })
      expect(await balanceOf('fan-0112')).toBe(50)
    })

    test('rejects a file with invalid lines and lists all faults; --skip-invalid imports the valid lines', async () => {
      const [fan, occurredAt] = [{ provider: world.config.identity.name, subject: 'fan-0113' }, ago(HOUR)]
      const valid = { type: 'ticket.scanned', fan, occurredAt }
      const path = fileOf(
        [
          ...[{ ...valid, id: 'v-1' }, { ...valid }, { ...valid, id: 'v-2', type: 'Scan' }],
          ...[
            { ...valid, id: 'v-3', fan: {} },
            { ...valid, id: 'v-4', occurredAt: 'yesterday' },
          ],
          ...[
            { ...valid, id: 'v-1' },
            { ...valid, id: 'v-5', points: 5 },
            { ...valid, id: 'v-6', data: [] },
          ],
          { ...valid, id: 'v-7', data: { a: 'x'.repeat(5000) } },
          { ...valid, id: 'v-8', data: { a: 'a\0b' } },
          { ...valid, id: 'v-9', data: { a: [1, 'HUGE'] } },
        ]
          .map(line => JSON.stringify(line).replace('"HUGE"', '1e400'))
          .concat('no json', '')
          .join('\n'),
      )
      const { code, json } = await importEvents(world, path, '--source', 'invalid')
      expect([code, json.rejected, json.changed]).toEqual([1, true, 0])
      const places = json.errors.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`)
      expect(places).toEqual([
        ...[
          '2 id',
          '3 type',
          '4 fan',
          '5 occurredAt',
          '6 id',
          '7 points',
          '8 data',
          '9 data',
          '10 data/a',
          '11 data/a/1',
        ],
        '12 ',
      ])
      expect(await stored('invalid')).toEqual([])
      expect(await importEvents(world, path, '--source', 'invalid', '--skip-invalid')).toMatchObject({
        code: 1,
        json: { applied: 1, invalid: 11, points: 50 },
      })
    })

    test('lists the lines that the API would refuse, and imports the others', async () => {
      const known = await world.db.write(
        async tx =>
          (await ensureUser(tx, { provider: world.config.identity.name, subject: 'known' })).user.id,
      )
      const path = fileOf(
        [
          'id,type,occurredAt,userId,subject,provider',
          `r-1,ticket.scanned,${ago(31 * 24 * HOUR)},${known},,`,
          `r-2,ticket.scanned,${ago(-HOUR)},${known},,`,
          `r-3,ticket.scanned,${ago(HOUR)},nobody,,`,
          `r-4,ticket.scanned,${ago(HOUR)},,x,elsewhere`,
          `r-5,reward.claimed,${ago(HOUR)},${known},,`,
          `r-6,ticket.scanned,${ago(HOUR)},${known},,`,
        ].join('\n'),
        'csv',
      )
      const { code, json } = await importEvents(world, path)
      expect([code, json.applied, json.refused, json.points]).toEqual([1, 1, 5, 50])
      expect(
        json.errors.map(({ line, message }: { line: number; message: string }) => [line, message]),
      ).toEqual([
        [2, 'is refused: too_old'],
        [3, 'is refused: in_future'],
        [4, 'is refused: fan_not_found'],
        [5, 'is refused: fan_not_found'],
        [6, 'is refused: type_reserved'],
      ])
      expect((await stored('operator')).map(({ eventId }) => eventId)).toEqual(['r-6'])
    })

    test('after a kill, a second run gives the result of one run', async () => {
      const provider = world.config.identity.name
      const occurredAt = ago(HOUR)
      const events = Array.from({ length: 1_000 }, (_, nth) => ({
        id: `k-${nth}`,
        type: 'shop.purchase',
        fan: { provider, subject: `killed-${nth % 50}` },
        occurredAt,
        data: { amount: 100 },
      }))
      const path = fileOf(linesOf(events))
      const env = { DATABASE_URL: world.databaseUrl ?? '', IDP_NAME: provider }
      const held = { db: world.db, url: world.databaseUrl }
      const release = await holdAt(held, { table: 'events', row: "NEW.event_id = 'k-999'" })
      const child = startScript('import-events', [path, '--source', 'killed'], { env })
      await waitUntil('some events are imported', async () => (await stored('killed')).length >= 20)
      child.kill('SIGKILL')
      await child.exited
      await release()
      const there = (await stored('killed')).length
      expect(there).toBeGreaterThan(0)
      expect(there).toBeLessThan(1_000)
      const { code, json } = await importEvents(world, path, '--source', 'killed', '--exclusive')
      expect(code).toBe(0)
      // The server commits a batch that it received before the kill.
      expect(json.duplicate).toBeGreaterThanOrEqual(there)
      expect(json.applied + json.duplicate).toBe(1_000)
      const entries = await world.db.read.select().from(world.db.tables.pointsEntries)
      expect(entries.filter(({ ref }) => ref.startsWith('shop:killed:'))).toHaveLength(1_000)
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('rejects a missing file, another file type, and the name of a reserved source', async () => {
      expect((await importEvents(world, join(folder, 'none.csv'))).code).toBe(1)
      expect((await importEvents(world, fileOf('', 'xml'))).code).toBe(2)
      expect((await importEvents(world, fileOf(''), '--source', 'matchday')).code).toBe(2)
    })
  })
}

describe('Reading events', () => {
  const read = async (text: string, format: 'csv' | 'ndjson' = 'csv') =>
    Array.fromAsync(readEvents(rowFileOf(fileOf(text, format)), { provider: 'mock-idp' }))
  const AT = '2026-08-15T18:30:00Z'

  test('cells of data are numbers as JavaScript writes them, true, false, or text', async () => {
    const header = 'id,type,occurredAt,subject,data.a,data.b,data.c,data.d,data.e,data.f'
    const [line] = await read(`${header}\n1,a.b,${AT},s,12.5,true,007,1e3,,"x\r\ny"\n`)
    expect(line?.event).toEqual({
      id: '1',
      type: 'a.b',
      occurredAt: AT,
      fan: { provider: 'mock-idp', subject: 's' },
      data: { a: 12.5, b: true, c: '007', d: '1e3', f: 'x\ny' },
    })
  })

  const amountOf = (data: { amount?: number } = {}) => data.amount
  const rows = [
    'id;type;occurredAt;subject;data.amount',
    `1;a.b;${AT};José;"12,50"`,
    `2;a.b;${AT};s;+7`,
    `3;a.b;${AT};s;1,234`,
    `4;a.b;${AT};s;1.234,50`,
  ].join('\r\n')
  const utf16 = (text: string, littleEndian: boolean) => {
    const units = new DataView(new ArrayBuffer(2 * text.length + 2))
    for (const [at, unit] of [0xfeff, ...Array.from(text, char => char.charCodeAt(0))].entries())
      units.setUint16(2 * at, unit, littleEndian)
    return new Uint8Array(units.buffer)
  }
  test.each([
    ['semicolons', rows],
    ['tabs', rows.replaceAll(';', '\t')],
    ['a first line sep=;', `sep=;\r\n${rows}`],
    ['a byte order mark', `\ufeff${rows}`],
    ['UTF-16, little endian', utf16(rows, true)],
    ['UTF-16, big endian', utf16(rows, false)],
  ])('a spreadsheet with %s is read, with decimal commas', async (what, text) => {
    const members = { typesOf: () => ['number' as const], findUnfit: () => [] }
    const file = rowFileOf(fileOf(text, 'csv'))
    const lines = await Array.fromAsync(readEvents(file, { provider: 'mock-idp', members }))
    const first = what === 'a first line sep=;' ? 3 : 2
    expect(lines.map(({ line, event, faults }) => [line, amountOf(event?.data) ?? faults[0]?.field])).toEqual(
      [
        [first, 12.5],
        [first + 1, 7],
        [first + 2, 'data.amount'],
        [first + 3, 'data.amount'],
      ],
    )
    expect(lines[0]?.event?.fan).toMatchObject({ subject: 'José' })
  })

  test('numbers of NDJSON and of a column of JSON that would be rounded are faults', async () => {
    const [line] = await read(
      `{"id":"1","type":"a.b","occurredAt":"${AT}","fan":{"userId":"u"},"data":{"order":12345678901234567}}\n`,
      'ndjson',
    )
    expect(line?.faults.map(({ field }) => field)).toEqual(['data/order'])
    const [cell] = await read(
      `id,type,occurredAt,userId,data\n1,a.b,${AT},u,"{""order"":12345678901234567}"\n`,
    )
    expect(cell?.faults.map(({ field }) => field)).toEqual(['data/order'])
  })

  test('a column of data holds JSON objects', async () => {
    const lines = await read(
      `id,type,occurredAt,userId,data\n1,a.b,${AT},u,"{""a"":[1]}"\n2,a.b,${AT},u,nonsense\n3,a.b,${AT},u,\n`,
    )
    expect(lines.map(({ event, faults }) => event?.data ?? faults.map(({ field }) => field))).toEqual([
      { a: [1] },
      ['data'],
      [],
    ])
  })

  test.each([
    { what: 'no fan', header: 'id,type,occurredAt', field: 'subject' },
    { what: 'no id', header: 'type,occurredAt,subject', field: 'id' },
    { what: 'an unknown column', header: 'id,type,occurredAt,subject,amount', field: 'amount' },
    { what: 'a column twice', header: 'id,type,occurredAt,subject,data.a,data.a', field: 'data.a' },
    { what: 'data in two ways', header: 'id,type,occurredAt,subject,data,data.a', field: 'data' },
  ])('a header with $what is rejected', async ({ header, field }) => {
    expect(await read(`${header}\n`)).toMatchObject([{ line: 1, fatal: true, faults: [{ field }] }])
  })

  test('a fan by id and by subject is a fault', async () => {
    const lines = await read(`id,type,occurredAt,userId,subject\n1,a.b,${AT},u,s\n`)
    expect(lines[0]?.faults.map(({ field }) => field)).toEqual(['fan'])
  })
})
