/** The commands of docs/recipes/agency.md, as they stand there, with twelve clubs on one PostgreSQL with its default of connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readClubs } from '../../scripts/clubs/club.ts'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { runScript } from '../scripts/run-script.ts'
import { root } from '../support/dev.ts'
import { testedExecutable } from '../support/executable.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { query } from './two-instances.ts'

const missing = postgresBinaries === null ? ' (skipped: PostgreSQL is not installed)' : ''
const page = readFileSync(join(root, 'docs/recipes/agency.md'), 'utf8')
const CLUBS = 12
const DEFAULT_CONNECTIONS = 100
const RESERVED = 3

describe.skipIf(missing !== '')(`Twelve clubs on one PostgreSQL${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-agency-'))
  let cluster: PostgresCluster
  let provider: RunningProvider
  const apis: RunningApi[] = []

  beforeAll(async () => {
    cluster = await startCluster(postgresBinaries ?? '', {
      settings: `-c max_connections=${DEFAULT_CONNECTIONS}`,
    })
    provider = await startProvider({ fans: CLUBS })
  })
  afterAll(async () => {
    await Promise.all(apis.map(api => api.stop('SIGKILL')))
    await provider.stop()
    await cluster.remove()
    rmSync(folder, { recursive: true })
  })

  /** The page with the places of this test. */
  const ownPlaces = (text: string) =>
    text
      .replaceAll('postgres://matchday:CHANGE-ME@127.0.0.1/clubs', cluster.url)
      .replaceAll('https://example.eu.auth0.com/', provider.issuer)
      .replaceAll('IDP_AUDIENCE=https://{club}.api.example.com', 'IDP_AUDIENCE=matchday-api')
      .replaceAll(/\/(?=etc\/matchday|var\/lib\/matchday|var\/backups|srv\/erasures)/g, `${folder}/`)

  /** Runs a line of the page. `matchday` is this version. */
  async function run(line: string) {
    // Not the program that other tests run: `clubs` starts the commands of each club by their files.
    const command = testedExecutable ? [testedExecutable, 'clubs'] : [process.execPath, 'scripts/clubs.ts']
    const program = command.map(part => `'${part}'`).join(' ')
    const child = Bun.spawn(['sh', '-c', ownPlaces(line).replace('matchday clubs', program)], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { code: await child.exited, out, err }
  }

  const linesOf = (action: string) =>
    [...page.matchAll(new RegExp(`^matchday clubs ${action} .*`, 'gm'))].map(([line]) => line)

  test('are created, listed and migrated', async () => {
    const [, heredoc = ''] = /(cat > \/etc\/matchday\/template[\s\S]*?\nEND\n)/.exec(page) ?? []
    expect(await run(`mkdir -p /etc/matchday && ${heredoc}`)).toMatchObject({ code: 0, err: '' })
    for (const action of ['create', 'list', 'migrate'])
      for (const line of linesOf(action)) {
        const { code, out, err } = await run(line)
        expect([line, code, err.replaceAll(/.*: done after .*\n/g, '')]).toEqual([line, 0, ''])
        const clubs = line.includes('--all') ? CLUBS : 1
        if (action === 'migrate') expect(out).toContain(`${clubs} of ${clubs} clubs succeeded.`)
      }
  })

  test('serve at the same time, and leave connections for commands', async () => {
    const shown = await query(cluster, 'SHOW max_connections')
    expect(shown).toEqual([{ max_connections: String(DEFAULT_CONNECTIONS) }])
    const clubs = readClubs(join(folder, 'etc/matchday'))
    expect(clubs).toHaveLength(CLUBS)
    for (const { env } of clubs)
      apis.push(
        await startApi({
          ...env,
          PORT: '0',
          CONSOLE_PORT: '',
          METRICS_PORT: '',
        }),
      )
    const statuses = await Promise.all(
      apis.map(async ({ origin }, n) => {
        const token = await provider.idp.issueToken(`fan-${String(n + 1).padStart(4, '0')}`)
        const headers = { authorization: `Bearer ${token}` }
        const requests = Array.from({ length: 20 }, (_, i) =>
          i % 2 === 0
            ? fetch(`${origin}/api/user/onboarding`, { method: 'POST', headers })
            : fetch(`${origin}/api/rewards`, { headers }),
        )
        return (await Promise.all(requests)).map(({ status }) => status)
      }),
    )
    expect(new Set(statuses.flat())).toEqual(new Set([200]))
    const [row] = await query(
      cluster,
      "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name LIKE 'matchday %'",
    )
    expect(Number(row?.open)).toBeGreaterThan(CLUBS)
    expect(Number(row?.open)).toBeLessThanOrEqual(CLUBS * 7)
    expect(CLUBS * 7 + 7).toBeLessThanOrEqual(DEFAULT_CONNECTIONS - RESERVED)
  })

  test('are verified and dumped while they serve', async () => {
    for (const line of [...linesOf('verify'), ...linesOf('backup')]) {
      const { code, out } = await run(line)
      expect([line, code, out]).toEqual([
        line,
        0,
        expect.stringContaining(`${CLUBS} of ${CLUBS} clubs succeeded.`),
      ])
    }
  })

  test('are restored one by one, and fans who were erased after the dump are erased again', async () => {
    const dumps = join(folder, 'var/backups/matchday/harbour')
    const [dump = ''] = readdirSync(dumps)
    const [line = ''] = /^pg_restore .*/m.exec(page) ?? []
    const [, list = ''] = /erase-user --reapply (\S+) --yes/.exec(page) ?? []
    const club = readClubs(join(folder, 'etc/matchday')).findIndex(({ name }) => name === 'harbour')
    const env = readClubs(join(folder, 'etc/matchday'))[club]?.env ?? {}
    await apis[club]?.stop()
    await query(cluster, 'DELETE FROM harbour.leaderboard_entries')
    const [fan] = await query(cluster, 'SELECT id FROM harbour.users')
    mkdirSync(dirname(ownPlaces(list)), { recursive: true })
    const erased = await runScript('erase-user', [String(fan?.id), '--yes'], { env })
    expect(erased).toMatchObject({ code: 0, out: expect.stringContaining(`Listed in ${ownPlaces(list)}`) })
    const subjects = () => query(cluster, 'SELECT subject FROM harbour.users')
    const ofErased = await subjects()
    expect(await run(line.replace('DATE.dump', dump))).toMatchObject({ code: 0, err: '' })
    const [row] = await query(cluster, 'SELECT count(*)::int AS enrolled FROM harbour.leaderboard_entries')
    expect(row?.enrolled).toBe(1)
    expect(await subjects()).not.toEqual(ofErased)
    const again = await runScript('erase-user', ['--reapply', ownPlaces(list), '--yes'], { env })
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringContaining('Of 1 listed erasures 1 were applied again.'),
    })
    expect(await subjects()).toEqual(ofErased)
  })
})
