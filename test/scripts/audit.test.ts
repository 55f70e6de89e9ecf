/** `bun run audit` as a command. */
import { beforeEach, expect, test } from 'bun:test'
import { recordAction } from '../../src/identity/staff/audit/record.ts'
import { readRuns } from '../../src/platform/jobs/maintenance.ts'
import { withRawConnection } from '../db/probe.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScriptOn } from './run-script.ts'

for (const engine of engines) {
  onEngine(
    engine,
    'bun run audit',
    world => {
      const run = (...parameters: string[]) => runScriptOn(world, 'audit', parameters)
      const record = (id: string) =>
        world.db.write(tx =>
          recordAction(tx, {
            staff: { id: 'link:Ada', name: 'Ada', role: 'owner' },
            ...{ operation: 'grantPoints', subject: { kind: 'fan', id }, reason: 'A late bus' },
          }),
        )

      beforeEach(async () => {
        await record('fan-1')
        await record('fan-2')
      })

      test('verifies the log, prints its anchor, and finds a log that was rewritten', async () => {
        const first = await run('verify')
        expect(first.code).toBe(0)
        const [, anchor = ''] = /^2 rows are intact\.\nAnchor (2:[0-9a-f]{64})\n$/.exec(first.out) ?? []
        expect((await readRuns(world.db.read)).has('verify-audit')).toBe(true)
        await record('fan-3')
        expect((await run('verify', '--anchor', anchor)).code).toBe(0)

        const other = anchor.replace(/.$/, last => (last === '0' ? '1' : '0'))
        const rewritten = await run('verify', '--anchor', other, '--json')
        expect([rewritten.code, JSON.parse(rewritten.out).findings]).toEqual([
          1,
          [{ seq: 2, fault: 'anchored' }],
        ])
      })

      test('exports the rows of a period', async () => {
        const { code, out } = await run('export', '--to', '2027-01-01T00:00:00Z')
        const rows = out
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
        expect([code, rows.map(({ subject }) => subject.id)]).toEqual([0, ['fan-1', 'fan-2']])
        const csv = await run('export', '--format', 'csv', '--from', '2027-01-01T00:00:00Z')
        expect(csv.out).toMatch(/^seq,at,staff_id,.*,hash\s+$/)
      })

      test('says which row was changed', async () => {
        const triggers = {
          sqlite: 'DROP TRIGGER console_audit_refuse_update',
          postgres: 'DROP TRIGGER console_audit_refuse_update_or_delete ON console_audit',
        }
        await withRawConnection({ db: world.db, url: world.databaseUrl }, async execute => {
          await execute(triggers[world.db.engine])
          await execute("UPDATE console_audit SET reason = 'x' WHERE seq = 2")
        })
        const { code, out } = await run('verify')
        expect(code).toBe(1)
        expect(out).toStartWith('Row 2 was changed, or the rows before it.\n2 rows were read.\n')
      })

      test.each([
        ['verify --format csv'],
        ['verify --anchor x'],
        ['export --json'],
        ['export --format xml'],
        ['remove'],
      ])('refuses %s', async parameters => {
        expect((await run(...parameters.split(' '))).code).toBe(2)
      })
    },
    { worldPer: 'test' },
  )
}
