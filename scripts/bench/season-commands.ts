/** Runs and times the commands that read a whole season. */
import { rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { removeSqlite } from '../../db/sqlite/copy.ts'
import type { Engine } from './databases.ts'
import { onboardingsOf, startPaced } from './load/paced.ts'
import { postgresCpuSecondsOf } from './process.ts'
import type { Bench } from './scenario.ts'
import { ARCHIVED_BEFORE, recordToday } from './season.ts'

/** Of one command. `cpu` includes a PostgreSQL server on this machine; null if it is on another one. */
export interface Timing {
  name: string
  seconds: number
  cpu: number | null
  /** Average of the last minute at the end. */
  load: number
  /** For how long a live move made the source refuse writes. */
  stopped?: number
}

/** Fans who buy something between a full verification and one of what changed since. */
const CHANGED_FANS = 1_000
/** Between two onboardings while a live move copies. */
const ONBOARDING_EVERY_MS = 100

const scripts = join(import.meta.dir, '..')
const script = (name: string) => [process.execPath, join(scripts, `${name}.ts`)]

/** The last one deletes rows. */
export async function timeCommands(bench: Bench, engine: Engine, url: string): Promise<Timing[]> {
  const timings: Timing[] = []
  const server = await openServer(process.env.BENCH_POSTGRES_URL)
  async function time(name: string, command: string[], of = url): Promise<Timing & { output: string }> {
    const serverBefore = server.cpuSeconds()
    const started = performance.now()
    const child = Bun.spawn(command, {
      env: { ...process.env, DATABASE_URL: of },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    const code = await child.exited
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${output.slice(-300)} ${errors.slice(-500)}`)
    const seconds = (performance.now() - started) / 1_000
    const own = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
    const served = server.cpuSeconds()
    const cpu = serverBefore === null || served === null ? null : own + served - serverBefore
    const timing = { name, seconds, cpu: server.isUsed ? cpu : own, load: loadavg()[0] ?? 0, output }
    bench.log(`${engine}: ${name} ${seconds.toFixed(1)} s, CPU ${timing.cpu?.toFixed(1)} s`)
    return timing
  }
  const add = ({ output: _, ...timing }: Timing & { output?: string }) => void timings.push(timing)
  try {
    add(await time('verify-ledger', script('verify-ledger')))
    add(await time('verify-quests', script('verify-quests')))
    await recordToday(url, CHANGED_FANS)
    add(await time('verify-ledger --since-last', [...script('verify-ledger'), '--since-last']))
    add(await time('verify-quests --since-last', [...script('verify-quests'), '--since-last']))
    add(await time('verify-ledger --part 3/7', [...script('verify-ledger'), '--part', '3/7']))
    for (const timing of await timeBackup(bench, engine, url, time)) add(timing)
    for (const timing of await timeMoves(bench, engine, url, time)) add(timing)
    const files = join(bench.folder, `archive-${engine}`)
    add(await time('archive', [...script('archive'), '--before', ARCHIVED_BEFORE, '--out', files]))
    rmSync(files, { recursive: true })
    return timings
  } finally {
    await server.close()
  }
}

type Time = (name: string, command: string[], of?: string) => Promise<Timing & { output: string }>

async function timeBackup(bench: Bench, engine: Engine, url: string, time: Time): Promise<Timing[]> {
  const file = join(bench.folder, `season-${engine}.backup`)
  if (engine === 'sqlite') {
    const restored = `${file}.restored`
    const timings = [
      await time('backup', [...script('backup'), file]),
      await time('restore', [...script('restore'), file], `sqlite:${restored}`),
    ]
    for (const path of [file, restored]) removeSqlite(path)
    return timings
  }
  const target = await bench.databases.empty()
  try {
    const restore = ['pg_restore', '--clean', '--if-exists', '--single-transaction', `--dbname=${target.url}`]
    return [
      await time('backup', ['pg_dump', '--format=custom', `--file=${file}`, url]),
      await time('restore', [...restore, file]),
    ]
  } finally {
    await target.remove()
    rmSync(file, { force: true })
  }
}

/** To the other engine if there is a server. */
async function timeMoves(bench: Bench, engine: Engine, url: string, time: Time): Promise<Timing[]> {
  const move = (to: string, ...options: string[]) => [
    ...script('move'),
    '--from',
    url,
    '--to',
    to,
    '--json',
    ...options,
  ]
  const [first, second] = [await emptyTarget(bench, engine), await emptyTarget(bench, engine)]
  try {
    const timings: Timing[] = [await time('move', move(first.url))]
    await first.remove()
    const running = await bench.subjects.matchdayOn(url)
    const onboardings = startPaced(running.origin, onboardingsOf(bench.newTokens()), {
      everyMs: ONBOARDING_EVERY_MS,
    })
    try {
      const { output, ...live } = await time('move --live', move(second.url, '--live'))
      // Guarantee of the cast: it is the report of a live move.
      const { stoppedMs } = JSON.parse(output) as { stoppedMs: number }
      timings.push({ ...live, stopped: stoppedMs / 1_000 })
    } finally {
      await onboardings.stop()
      await running.stop()
    }
    await time('move --abort', move(second.url, '--abort'))
    return timings
  } finally {
    await second.remove()
  }
}

async function emptyTarget({ databases, folder }: Bench, engine: Engine) {
  if (engine === 'sqlite' && process.env.BENCH_POSTGRES_URL) return databases.empty()
  const path = join(folder, `moved-${Bun.randomUUIDv7()}.db`)
  return { url: `sqlite:${path}`, remove: async () => removeSqlite(path) }
}

/** CPU time of the server of PostgreSQL, with those of ended connections. */
async function openServer(url: string | undefined) {
  if (!url) return { isUsed: false, cpuSeconds: () => null, async close() {} }
  const client = new SQL(url, { max: 1 })
  const [row] = await client<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
  return {
    isUsed: true,
    cpuSeconds: () => postgresCpuSecondsOf(row?.pid ?? 0),
    close: () => client.close(),
  }
}
