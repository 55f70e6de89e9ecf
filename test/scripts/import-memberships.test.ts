/** `bun run import-memberships` and `bun run priority-list`, as a ticket office runs them. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countRows } from '../../db/pages.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { addMembershipKind } from '../play/memberships/memberships-world.ts'
import { engines } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { runScript, startScript } from './run-script.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-memberships-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const HEADER = 'Card;kind;number;holder;email;subject;startsAt;endsAt'
const TERMS = ['--map', 'Card=ref', '--time-zone', 'Europe/Lisbon']
let files = 0
function fileOf(lines: string[]): string {
  const path = join(folder, `tickets-${++files}.csv`)
  writeFileSync(path, `\ufeff${[HEADER, ...lines].join('\r\n')}\r\n`)
  return path
}

for (const engine of engines)
  onEngine(
    engine,
    'bun run import-memberships',
    world => {
      beforeEach(() => addMembershipKind(world))
      const env = () => ({ DATABASE_URL: world.databaseUrl ?? '' })
      async function run(path: string, ...parameters: string[]) {
        const { code, out } = await runScript(
          'import-memberships',
          [path, ...TERMS, '--json', ...parameters],
          { env: env() },
        )
        return { code, json: JSON.parse(out) }
      }
      const count = () => countRows(world.db.read, world.db.tables.fanMemberships)
      const line = (nth: number, holder = `Fan ${nth}`) =>
        `ST-${nth};season-ticket;00${nth};${holder};;ticket-${nth};01.07.2026;30.06.2027`

      test('a dry run shows the difference and writes nothing, and the import writes it once', async () => {
        await run(fileOf([line(1), line(2)]))
        const path = fileOf([
          line(1),
          line(2, 'Bea'),
          line(3),
          line(3),
          'ST-4;season-ticket;004;Dee;;;01.07.2026;30.06.2027',
        ])
        const said = { created: 1, changed: 2, unchanged: 1, repeated: 1, unmatched: 1, invalid: 0 }
        const notes = [
          { line: 3, message: 'changes holder Fan 2 -> Bea' },
          { line: 6, message: 'names no fan: it has neither a subject nor an e-mail' },
        ]
        const tried = await run(path, '--dry-run')
        expect(tried).toMatchObject({ code: 0, json: { ...said, dryRun: true } })
        const inOrder = ({ notes }: { notes: { line: number }[] }) =>
          notes.toSorted((a, b) => a.line - b.line)
        expect(inOrder(tried.json)).toMatchObject(notes)
        expect(await count()).toBe(2)
        const imported = await run(path)
        expect(imported).toMatchObject({ code: 0, json: said })
        expect(inOrder(imported.json)).toMatchObject(notes)
        expect(await run(path)).toMatchObject({ json: { created: 0, unchanged: 3, changed: 0 } })
        const { out } = await runScript('import-memberships', [path, ...TERMS], { env: env() })
        expect(out).toContain('3 unchanged, 1 repeated, 0 invalid; left out: 1 without a known fan')
      })

      test('after a kill, a second run gives the result of one run', async () => {
        const path = fileOf(Array.from({ length: 900 }, (_, nth) => line(nth)))
        const child = startScript('import-memberships', [path, ...TERMS], { env: env() })
        await waitUntil('some memberships are imported', async () => (await count()) > 0)
        child.kill('SIGKILL')
        await child.exited
        const there = await count()
        expect(there).toBeGreaterThan(0)
        const { fanMemberships, events } = world.db.tables
        // Without pauses, which are long where each commit waits for a slow disk.
        const again = await run(path, '--exclusive')
        expect(again).toMatchObject({
          code: 0,
          json: { created: 900 - there, unchanged: there, changed: 900 - there },
        })
        const rows = await world.db.read.select().from(fanMemberships)
        expect(new Set(rows.map(({ userId }) => userId)).size).toBe(900)
        const told = await world.db.read.select().from(events)
        const started = rows.filter(({ begun }) => begun).length
        expect(told.filter(({ type }) => type === 'membership.started')).toHaveLength(started)
        expect((await verifyLedger(world.db)).findings).toBe(0)
      })
    },
    { worldPer: 'test' },
  )
