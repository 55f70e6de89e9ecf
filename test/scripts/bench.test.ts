/** `bun run bench` as a command: it measures and reports; the results are not checked. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { noServer } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { runScript } from './run-script.ts'

const root = join(import.meta.dir, '../..')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-bench-test-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const startBench = (parameters: string[], env: Record<string, string> = {}) =>
  Bun.spawn([process.execPath, 'scripts/bench/main.ts', ...parameters], {
    cwd: root,
    // Its temporary directory is this one, to check that it cleans up.
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TMPDIR: folder, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })

async function bench(...parameters: string[]) {
  const child = startBench(parameters)
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

test('a quick run measures a scenario, evaluates no targets and writes a report', async () => {
  const file = join(folder, 'report.json')
  const { code, out, err } = await bench('crowd-claims', '--quick', '--json', file)
  expect({ code, err: err.replace(/^sqlite with 2000 fans: .*\n/, '') }).toEqual({ code: 0, err: '' })
  expect(out).toContain('crowd-claims: POST /api/rewards/claim')
  expect(out).toMatch(/sqlite, group commit +[\d,.]+ +requests\/s/)
  expect(out).not.toContain('targets')

  const report = await Bun.file(file).json()
  expect(report).toMatchObject({
    generator: expect.stringMatching(/^(wrk|Bun) /),
    machine: { bun: Bun.version, durability: 'WAL, synchronous=FULL' },
    options: { scenarios: ['crowd-claims'], fans: 2_000 },
    results: {
      'crowd-claims': {
        rows: [
          { subject: 'sqlite, matchday', unit: 'requests/s', detail: { failed: 0 } },
          { subject: 'sqlite, group commit', unit: 'requests/s', detail: { failed: 0 } },
        ],
      },
    },
  })
  for (const { rounds, median, detail } of report.results['crowd-claims'].rows) {
    expect(rounds).toHaveLength(1)
    expect(median).toBeGreaterThan(0)
    expect(detail.p99).toBeGreaterThanOrEqual(detail.p50)
  }
  expect(await Array.fromAsync(new Bun.Glob('matchday-bench-*/**').scan(folder))).toEqual([])
})

test.skipIf(noServer !== '')(`an interrupted run leaves no databases (PostgreSQL)${noServer}`, async () => {
  const server = process.env.TEST_POSTGRES_URL ?? ''
  const admin = new SQL(server, { max: 1 })
  const child = startBench(['crowd-claims', '--quick', '--engine=postgres'], { BENCH_POSTGRES_URL: server })
  const databases = async () => {
    const rows =
      await admin`SELECT datname FROM pg_database WHERE starts_with(datname, ${`matchday_bench_${child.pid}_`})`
    return rows.length
  }
  await waitUntil('a database of the bench', async () => (await databases()) > 0, undefined, 50)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(130)
  expect(await databases()).toBe(0)
  expect(
    await Array.fromAsync(new Bun.Glob('matchday-bench-*').scan({ cwd: folder, onlyFiles: false })),
  ).toEqual([])
  await admin.close()
})

test('lists its scenarios and rejects invalid options', async () => {
  const { code, out } = await bench('--help')
  expect(code).toBe(0)
  expect(out).toContain('crowd-rewards')
  for (const [parameter, message] of [
    ['nonsense', 'Unknown scenario nonsense.'],
    ['--rounds=0', '--rounds must be'],
    ['--engine=mysql', '--engine must be one of sqlite, postgres.'],
    ['--algorithm=none', '--algorithm must be one of ES256, RS256.'],
  ] as const) {
    const rejected = await runScript('bench/main', [parameter], { ownProcess: false })
    expect(rejected).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  }
})
