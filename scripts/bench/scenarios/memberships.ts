/**
 * How long the file of a ticket office takes: its dry run, its import, and the import of the same file again. CPU time is that of the
 * command, without a PostgreSQL server's. Half of the fans are new here.
 */
import { join } from 'node:path'
import { openDatabase } from '../../../db/index.ts'
import { realSources } from '../../../src/core/sources.ts'
import { membershipKind } from '../../../src/play/memberships/membership-kind.ts'
import { subjectOf } from '../data.ts'
import { PROVIDER } from '../issuer.ts'
import { row, type Scenario, type ScenarioResult } from '../scenario.ts'

const LINES = 40_000

export const memberships: Scenario = {
  name: 'memberships',
  summary: `Importing ${LINES.toLocaleString('en')} memberships of a ticket office, half of them of new fans`,
  long: true,
  async run({ options, databases, folder, log }) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    const lines = options.quick ? 2_000 : LINES
    const path = join(folder, 'memberships.csv')
    await Bun.write(path, textOf(lines))
    for (const engine of options.engines) {
      const { url, remove } = await databases.copy(engine, lines / 2)
      try {
        const db = openDatabase(url, realSources)
        await db.write(tx => membershipKind.upsert(tx, { id: 'season-ticket', name: 'Season ticket' }))
        await db.close()
        for (const [name, ...parameters] of [
          ['dry run', '--dry-run'],
          ['import'],
          ['import again'],
          ['dry run of what is stored', '--dry-run'],
        ] as const) {
          const { seconds, cpuSeconds } = await runImport(url, path, parameters)
          all.rows.push(row(`${engine}, ${name}`, 's', [seconds], { cpu: cpuSeconds }))
          log(`${engine}, ${name}: ${seconds.toFixed(1)} s`)
        }
      } finally {
        await remove()
      }
    }
    return all
  },
}

const textOf = (lines: number) =>
  [
    'ref;kind;number;holder;subject;startsAt;endsAt',
    ...Array.from({ length: lines }, (_, nth) =>
      [
        `ST-${nth}`,
        'season-ticket',
        `00${nth}`,
        `Holder ${nth}`,
        subjectOf(nth),
        '01.07.2026',
        '30.06.2036',
      ].join(';'),
    ),
  ].join('\r\n')

async function runImport(url: string, path: string, parameters: readonly string[]) {
  const script = join(import.meta.dir, '../../import-memberships.ts')
  const started = performance.now()
  const child = Bun.spawn([process.execPath, script, path, '--provider', PROVIDER, ...parameters], {
    env: { ...process.env, DATABASE_URL: url },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [code, errors] = [await child.exited, await child.stderr.text()]
  if (code !== 0) throw new Error(`import-memberships ended with ${code}: ${errors.slice(-500)}`)
  const seconds = (performance.now() - started) / 1_000
  return { seconds, cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 }
}
