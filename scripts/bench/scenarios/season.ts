/** How long commands take that read a whole season: seconds of each, and its CPU time without that of a PostgreSQL server. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Databases, Engine } from '../databases.ts'
import { type Row, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { prepareSeason, recordSeason } from '../season.ts'
import { copySeason } from '../season-copies.ts'
import { readParts } from '../table-sizes.ts'

/** Events of each fan. */
const DAYS = 20
/** Fans whose events are recorded; the others are copies of them. */
const RECORDED_FANS = 1_000

const scripts = join(import.meta.dir, '../..')

export const season: Scenario = {
  name: 'season',
  summary: `Seconds of verifications, backup, restore and move with --events events, ${DAYS} of each fan`,
  long: true,
  async run({ options: { engines, events }, databases, folder, log }) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of engines) {
      const { url, remove } = await databases.copy(engine, RECORDED_FANS)
      try {
        await makeSeason(url, events, line => log(`${engine}: ${line}`))
        const gigabytes = (await readParts(url)).reduce((sum, { bytes }) => sum + bytes, 0) / 1e9
        all.notes.push(`${engine}: ${gigabytes.toFixed(2)} GB.`)
        all.rows.push(...(await timeCommands(engine, url, databases, { folder, log })))
      } finally {
        await remove()
      }
    }
    return all
  },
}

async function makeSeason(url: string, events: number, log: (line: string) => void): Promise<void> {
  await prepareSeason(url)
  for await (const _ of recordSeason(url, DAYS));
  const copies = Math.max(0, Math.round(events / DAYS / RECORDED_FANS) - 1)
  for await (const copy of copySeason(url, copies)) log(`${(copy + 1) * DAYS * RECORDED_FANS} events`)
}

async function timeCommands(
  engine: Engine,
  url: string,
  databases: Databases,
  { folder, log }: { folder: string; log(line: string): void },
): Promise<Row[]> {
  const rows: Row[] = []
  async function time(name: string, script: string, ...parameters: string[]) {
    const started = performance.now()
    const child = Bun.spawn([process.execPath, join(scripts, `${script}.ts`), ...parameters], {
      env: { ...process.env, DATABASE_URL: url },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const [code, errors] = [await child.exited, await child.stderr.text()]
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${errors.slice(-500)}`)
    const seconds = (performance.now() - started) / 1_000
    const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
    log(`${engine}: ${name} ${seconds.toFixed(1)} s`)
    rows.push(row(`${engine}, ${name}`, 's', [seconds], { cpu }))
  }
  await time('verify-ledger', 'verify-ledger')
  await time('verify-ledger --since-last', 'verify-ledger', '--since-last')
  await time('verify-quests', 'verify-quests')
  await time('verify-quests --since-last', 'verify-quests', '--since-last')
  const copy = join(folder, `season-${engine}`)
  if (engine === 'sqlite') {
    await time('backup', 'backup', `${copy}.backup`)
    await time('restore', 'restore', `${copy}.backup`, '--database', `sqlite:${copy}.restored`)
    for (const name of ['backup', 'restored', 'restored-wal']) rmSync(`${copy}.${name}`, { force: true })
  }
  await time('move to SQLite', 'move', '--from', url, '--to', `sqlite:${copy}.moved`)
  rmSync(`${copy}.moved`, { force: true })
  if (process.env.BENCH_POSTGRES_URL) {
    const target = await databases.empty()
    await time('move to PostgreSQL', 'move', '--from', url, '--to', target.url)
    await target.remove()
  }
  return rows
}
