/** The audit log: who may read it, what finds a row, and what finds a change of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sqlite } from '../../db/schema/columns.ts'
import { shapeOf } from '../../db/schema/shape.ts'
import { tablesOf } from '../../db/schema/tables.ts'
import { recordAction } from '../../src/identity/staff/audit/record.ts'
import { verifyAudit } from '../../src/identity/staff/audit/verify.ts'
import type { Staff } from '../../src/identity/staff/staff.ts'
import { withoutRules, withRawConnection } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { everyEngine, type TemporaryDatabase } from '../support/engines.ts'
import { onEachEngine, type World } from '../support/world.ts'
import { consoleOf } from './support.ts'

const ada: Staff = { id: 'link:Ada', name: 'Ada', role: 'owner' }
const grace: Staff = { id: 'link:Grace', name: 'Grace', role: 'finance' }

type Action = Partial<Parameters<typeof recordAction>[1]>

const recordIn = ({ db }: World, action: Action) =>
  db.write(tx =>
    recordAction(tx, {
      ...{ staff: ada, operation: 'grantPoints', subject: { kind: 'fan', id: 'fan-1' } },
      ...{ reason: 'A late bus', detail: { points: 50 } },
      ...action,
    }),
  )

onEachEngine('a row of the audit log', world => {
  const owner = consoleOf(world).as('owner')
  const newest = async (action: Action) => {
    await recordIn(world, action)
    return (await owner.get('/api/audit?limit=1')).body.entries[0]
  }
  test.each([
    [
      'points',
      { detail: { delta: -30, created: true } },
      { outcome: 'done', amount: { amount: -30, currency: 'POINTS' } },
    ],
    [
      'cash',
      { detail: { amount: 500, currency: 'EUR' } },
      { outcome: 'done', amount: { amount: 500, currency: 'EUR' } },
    ],
    ['a repeat', { detail: { delta: 5, created: false } }, { outcome: 'unchanged' }],
    [
      'a refusal',
      { detail: { refused: 'code_used' } },
      { outcome: 'failed', problem: 'code_used', amount: null },
    ],
    ['a failure', { detail: { failed: 'internal_error' } }, { outcome: 'failed', problem: 'internal_error' }],
    [
      'a request that is gone',
      { operation: 'requestApproval', detail: { approvalId: 'none' } },
      { outcome: 'expired' },
    ],
  ])('says what came of it: %s', async (_, action, expected) => {
    expect(await newest(action)).toMatchObject(expected)
  })

  test('says the fan of an order and the amount of its refund', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Ana Ruiz' })
    const { id: userId } = (await fan.get('/api/user/profile')).body
    const id = crypto.randomUUID()
    const at = world.clock.now()
    const price = { priceAmount: 7_900, priceCurrency: 'EUR', discountAmount: 0 }
    await world.db.write(tx =>
      tx.insert(tx.tables.orders).values({
        id,
        userId,
        ...price,
        status: 'completed',
        createdAt: at,
        expiresAt: at,
        completedAt: at,
      }),
    )
    const subject = { kind: 'purchase', id }
    expect(await newest({ operation: 'refundPurchase', subject, detail: undefined })).toMatchObject({
      fan: { id: userId, name: 'Ana Ruiz' },
      amount: { amount: 7_900, currency: 'EUR' },
    })
    expect(
      await newest({
        operation: 'useCode',
        subject: { kind: 'code', id: 'c-1' },
        detail: { fanId: userId },
      }),
    ).toMatchObject({
      fan: { id: userId },
      amount: null,
    })
  })
})

onEachEngine('the audit log', world => {
  const { as } = consoleOf(world)
  const owner = as('owner')
  const record = (action: Action = {}) => recordIn(world, action)
  const list = async (query = '') => (await owner.get(`/api/audit?${query}`)).body.entries
  beforeAll(async () => {
    await record()
    world.clock.advance(60_000)
    await record({ staff: grace, operation: 'refundPurchase', subject: { kind: 'purchase', id: 'p-1' } })
    world.clock.advance(60_000)
    await record({ reason: undefined, detail: undefined, confirmedBy: grace })
  })

  test('has every member of a row', async () => {
    const [entry] = await list('operation=refundPurchase')
    expect(entry).toMatchObject({
      at: expect.stringMatching(/^2026-08-15T18:31/),
      staff: grace,
      operation: 'refundPurchase',
      subject: { kind: 'purchase', id: 'p-1' },
      reason: 'A late bus',
      detail: { points: 50 },
      confirmedBy: null,
    })
    const [newest] = await list('operation=grantPoints&subjectKind=fan&subjectId=fan-1')
    expect(newest).toMatchObject({ reason: null, detail: null, confirmedBy: { id: grace.id, name: 'Grace' } })
  })

  test.each([
    ['a person', 'staffId=link:Grace', ['refundPurchase']],
    ['a kind of subject', 'subjectKind=purchase', ['refundPurchase']],
    ['a subject', 'subjectKind=fan&subjectId=fan-1', ['grantPoints', 'grantPoints']],
    ['a subject of another kind', 'subjectKind=reward&subjectId=fan-1', []],
    ['the time', 'from=2026-08-15T18:31:00Z&to=2026-08-15T18:32:00Z', ['refundPurchase']],
    ['another offset', 'from=2026-08-15T20:31:00%2B02:00&to=2026-08-15T20:32:00%2B02:00', ['refundPurchase']],
  ])('is filtered by %s', async (_, query, operations) => {
    const found = await list(query)
    expect(found.map(({ operation }: { operation: string }) => operation)).toEqual(operations)
  })

  test('is read page by page, each row once', async () => {
    const all = await list('limit=100')
    const paged = []
    let cursor = ''
    do {
      const { body } = await owner.get(`/api/audit?limit=2${cursor && `&cursor=${cursor}`}`)
      paged.push(...body.entries)
      cursor = body.nextCursor ?? ''
    } while (cursor)
    expect(paged).toEqual(all)
    const { body } = await owner.get('/api/audit?limit=1')
    expect((await owner.get(`/api/audit?staffId=x&cursor=${body.nextCursor}`)).body.code).toBe(
      'invalid_cursor',
    )
  })

  test('shows the current name of the fan that a row is about', async () => {
    const fan = await world.fan()
    const { id } = (await fan.post('/api/user/profile', { displayName: 'Ana Ruiz' })).body
    await record({ subject: { kind: 'fan', id } })
    const [row] = await list(`subjectKind=fan&subjectId=${id}`)
    expect(row.subject).toEqual({ kind: 'fan', id, name: 'Ana Ruiz' })
  })

  test('is exported as NDJSON with the rows of the list, and the export is recorded', async () => {
    const { status, headers, body } = await as('finance').get('/api/audit/export?subjectKind=fan')
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      'attachment; filename="matchday-audit.ndjson"',
    ])
    const lines = body.trim().split('\n').map(JSON.parse)
    // What is known of fans, orders and requests now is in the list alone.
    type Row = { subject: object; outcome?: string; problem?: string; amount?: object; fan?: object }
    const withoutName = ({ subject, outcome: _, problem: __, amount: ___, fan: ____, ...row }: Row) => ({
      ...row,
      subject: { ...subject, name: null },
    })
    const rows: Row[] = await list('subjectKind=fan')
    expect(lines.map(withoutName)).toEqual(rows.toReversed().map(withoutName))
    const [newest] = await list('limit=1')
    expect(newest).toMatchObject({ operation: 'exportAudit', detail: { subjectKind: 'fan' } })
  })

  test('is exported as CSV, in which no cell is a formula', async () => {
    await record({ reason: '=HYPERLINK("http://evil.example")', subject: { kind: 'fan', id: 'csv' } })
    await record({ reason: 'Late; -1+1', subject: { kind: 'fan', id: 'csv' } })
    await record({ reason: 'Two\nlines, and "quotes"', subject: { kind: 'fan', id: 'csv' } })
    const { body } = await owner.get('/api/audit/export?format=csv&subjectId=csv')
    const text: string = body
    expect(text.split('\r\n')[0]).toBe(
      'seq,at,staff_id,staff_name,role,operation,subject_kind,subject_id,reason,detail,confirmed_by_id,confirmed_by_name,hash',
    )
    expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"")",`)
    expect(text).toContain(`,"Late;' -1+1",`)
    expect(text).toContain(',"Two\nlines, and ""quotes""",')
  })

  test('has the hashes of the formula in docs/console.md, computed from the export alone', async () => {
    await record({
      subject: { kind: 'fan', id: 'hashed' },
      detail: { ref: 'Bürste "7"', points: -5 },
      confirmedBy: grace,
    })
    const lines: string = (await owner.get('/api/audit/export')).body
    let previous = '0'.repeat(64)
    for (const line of lines.trim().split('\n')) {
      const { seq, at, staff, operation, subject, reason, detail, confirmedBy, hash } = JSON.parse(line)
      const row = [
        ...[previous, seq, at, staff.id, staff.name, staff.role, operation, subject.kind, subject.id],
        ...[reason, detail && JSON.stringify(detail), confirmedBy?.id ?? null, confirmedBy?.name ?? null],
      ]
      expect(new Bun.CryptoHasher('sha256').update(JSON.stringify(row)).digest('hex')).toBe(hash)
      previous = hash
    }
    expect(lines).toContain('Bürste')
  })

  test('can be read and exported only by finance and owners', async () => {
    for (const role of ['support', 'editor', 'moderator'] as const)
      for (const path of ['', '/export', '/verification'])
        expect((await as(role).get(`/api/audit${path}`)).status).toBe(403)
  })

  test('is intact, and numbered without gaps, after many actions at once', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, nth) => record({ subject: { kind: 'race', id: String(nth) } })),
    )
    const { body } = await owner.get('/api/audit/verification')
    expect([body.intact, body.findings, body.rows]).toEqual([true, [], body.head.seq])
  })

  test('has no row for an action that was rolled back', async () => {
    const before = await verifyAudit(world.db.read)
    await world.db
      .write(async tx => {
        await recordAction(tx, { staff: ada, operation: 'x', subject: { kind: 'fan', id: 'undone' } })
        throw new Error('undone')
      })
      .catch(() => {})
    expect(await verifyAudit(world.db.read)).toEqual(before)
  })
})

describe.each(everyEngine.map(engine => [engine.name, engine] as const))(
  'a change of the audit log behind the application (%s)',
  (_, engine) => {
    // One for all: opening one takes longer than the tests.
    let temporary: TemporaryDatabase
    beforeAll(async () => {
      temporary = await engine.open(createClock())
    })
    afterAll(() => temporary.remove())
    const change = (...statements: string[]) =>
      withoutRules(temporary, async run => {
        for (const statement of statements) await run(statement)
      })
    const add = (nth: number) =>
      temporary.db.write(tx =>
        recordAction(tx, { staff: ada, operation: 'x', subject: { kind: 'fan', id: String(nth) } }),
      )

    const clear = () => change('DELETE FROM console_audit', 'DELETE FROM console_audit_head')
    beforeEach(clear)

    /** Findings after a change of five rows. */
    async function findingsAfter(...statements: string[]) {
      const { db } = temporary
      for (const nth of [1, 2, 3, 4, 5]) await add(nth)
      const before = await verifyAudit(db.read)
      await change(...statements)
      const after = await verifyAudit(db.read, before.head ?? undefined)
      expect(before.findings).toEqual([])
      return after.findings.map(({ seq, fault }) => `${fault} ${seq}`)
    }

    const { columns } = shapeOf(tablesOf(sqlite).consoleAudit)
    test.each(columns.map(({ name, column }) => [name, column] as const))(
      'is found in the column %s, even if the column is emptied',
      async (name, { dataType, notNull }) => {
        const { db } = temporary
        const instant = db.engine === 'sqlite' ? ['7'] : ["'2020-01-01T00:00:00Z'"]
        const others = { number: ['7'], date: instant }[dataType as string] ?? ["'other'", "''"]
        // A check of the table refuses the name of a second person without an id.
        const second = ['confirmed_by_id', 'confirmed_by_name']
        const emptied = (second.includes(name) ? second : [name]).map(column => `${column} = NULL`).join()
        const changes = others.map(other => `${name} = ${other}`)
        for (const changed of notNull ? changes : [...changes, emptied]) {
          await clear()
          await add(1)
          await db.write(tx =>
            recordAction(tx, {
              ...{ staff: ada, operation: 'x', subject: { kind: 'fan', id: '2' }, confirmedBy: grace },
              ...{ reason: 'A late bus', detail: { points: 50 } },
            }),
          )
          await add(3)
          expect((await verifyAudit(db.read)).findings).toEqual([])
          await change(`UPDATE console_audit SET ${changed} WHERE seq = 2`)
          const { findings } = await verifyAudit(db.read)
          expect(findings[0], changed).toMatchObject({ seq: 2 })
        }
      },
    )

    test.each([
      ['a changed reason', "UPDATE console_audit SET reason = 'other' WHERE seq = 3", ['changed 3']],
      ['another person', "UPDATE console_audit SET staff_name = 'Mallory' WHERE seq = 1", ['changed 1']],
      ['a removed row', 'DELETE FROM console_audit WHERE seq = 3', ['missing 3', 'changed 4']],
      ['a removed first row', 'DELETE FROM console_audit WHERE seq = 1', ['missing 1', 'changed 2']],
      ['removed newest rows', 'DELETE FROM console_audit WHERE seq > 3', ['missing 4', 'missing 5']],
      ['a removed head', 'DELETE FROM console_audit_head', ['changed 5']],
      ['a changed head', "UPDATE console_audit_head SET hash = 'x'", ['changed 5']],
      ['a removed log', 'DELETE FROM console_audit', [1, 2, 3, 4, 5].map(seq => `missing ${seq}`)],
    ])('is found: %s', async (_, statement, findings) => {
      expect(await findingsAfter(statement)).toEqual(findings)
    })

    test('is found by the anchor where the newest rows and the head were removed', async () => {
      const head =
        'UPDATE console_audit_head SET seq = 3, hash = (SELECT hash FROM console_audit WHERE seq = 3)'
      expect(await findingsAfter('DELETE FROM console_audit WHERE seq > 3', head)).toEqual([
        'missing 4',
        'missing 5',
      ])
    })

    test.each([
      ['an update', "UPDATE console_audit SET reason = 'x'"],
      ['a delete', 'DELETE FROM console_audit'],
    ])('is refused by the database: %s', async (_, statement) => {
      await add(1)
      const outcome = await withRawConnection(temporary, run => run(statement)).catch(
        error => `${error} ${error.cause}`,
      )
      expect(outcome).toContain('console_audit is append-only')
    })
  },
)
