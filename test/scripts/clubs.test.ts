/** Commands over several clubs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from '../../scripts/clubs/club.ts'
import { withRawConnection } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { root } from '../support/dev.ts'
import { noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { runScript } from './run-script.ts'

let folder: string
const pathOf = (name: string) => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-clubs-'))
  writeFileSync(
    pathOf('template.env'),
    `# For each club
DATABASE_URL=sqlite:${pathOf('{club}.db')}
UPLOADS=${pathOf('{club}-uploads')}
IDP_ISSUER=https://login.example.com
IDP_AUDIENCE=matchday-api
IDP_NAME=example
`,
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

const clubs = (of: string, ...parameters: string[]) =>
  runScript('clubs', [...parameters, '--folder', pathOf(of)], { env: { DATABASE_SCHEMA: 'of_another' } })
const create = (of: string, ...names: string[]) =>
  clubs(of, 'create', ...names, '--template', pathOf('template.env'))
const settingsOf = (of: string, name: string) =>
  parseEnv(readFileSync(join(pathOf(of), `${name}.env`), 'utf8'))

test('a club gets its own ports and secrets, in a file that only its owner can read, and keeps them', async () => {
  const created = await create('kept', 'harbour', 'valley')
  expect(created).toMatchObject({ code: 0, err: '' })
  const text = readFileSync(pathOf('kept/harbour.env'), 'utf8')
  const planned = await clubs('kept', 'create', 'lagoon', '--template', pathOf('template.env'), '--dry-run')
  expect([planned.code, planned.out]).toEqual([0, expect.stringContaining('Would write')])
  expect(readdirSync(pathOf('kept'))).not.toContain('lagoon.env')
  expect(statSync(pathOf('kept/harbour.env')).mode & 0o777).toBe(0o600)
  const [harbour, valley] = [settingsOf('kept', 'harbour'), settingsOf('kept', 'valley')]
  expect(harbour).toMatchObject({
    PORT: '3000',
    CONSOLE_PORT: '3001',
    METRICS_PORT: '3002',
    IDP_NAME: 'example',
  })
  expect(valley).toMatchObject({ PORT: '3010', DATABASE_URL: `sqlite:${pathOf('valley.db')}` })
  for (const name of ['NATIVE_TOKEN_KEY', 'IDP_WEBHOOK_SECRET']) {
    expect(harbour[name]).not.toBe(valley[name])
    expect(created.out).not.toContain(harbour[name] ?? '')
  }
  const again = await create('kept', 'harbour', 'meadow')
  expect([again.code, again.err]).toEqual([
    0,
    expect.stringContaining('harbour.env exists, and was not changed'),
  ])
  expect(readFileSync(pathOf('kept/harbour.env'), 'utf8')).toBe(text)
  expect(settingsOf('kept', 'meadow').PORT).toBe('3020')
})

test('deploy/compose.clubs.yaml has the ports that new clubs get, and a file of settings for each', () => {
  // Guarantee: in another form the test fails.
  const { services } = Bun.YAML.parse(readFileSync(join(root, 'deploy/compose.clubs.yaml'), 'utf8')) as {
    services: Record<string, { ports?: string[]; env_file?: { path: string }[] }>
  }
  for (const [name, port] of [
    ['harbour', 3000],
    ['valley', 3010],
  ] as const) {
    expect(services[name]?.ports).toEqual([`127.0.0.1:${port}:${port}`])
    expect(services[name]?.env_file).toMatchObject([{ path: `clubs/${name}.env` }])
  }
})

test('a line of settings is read as systemd reads it', () => {
  const text = `# note\nA=1\n B = 2\nC="x y"\nD={"k":"v#1"}\nE='q'\nF=a=b\n;\nG=\n`
  expect(parseEnv(text)).toEqual({ A: '1', C: 'x y', D: '{"k":"v#1"}', E: 'q', F: 'a=b', G: '' })
})

test('clubs that share a port or a database are listed as such', async () => {
  expect((await create('shared', 'harbour')).code).toBe(0)
  const copy = readFileSync(pathOf('shared/harbour.env'), 'utf8').replace(
    'CONSOLE_PORT=3001',
    'CONSOLE_PORT=3009',
  )
  writeFileSync(pathOf('shared/valley.env'), copy)
  const { code, out } = await clubs('shared', 'list')
  expect(code).toBe(1)
  expect(out).toContain('harbour and valley have the same port 3000.')
  expect(out).toContain(`harbour and valley have the same database sqlite:${pathOf('harbour.db')}.`)
  expect(out).not.toContain('3009')
  expect((await clubs('shared', 'list', 'harbour')).err).toContain('list shows all clubs: it takes no names')
})

test('a command runs for each club, even after a failure, shows no secret, and can be repeated', async () => {
  expect((await create('three', 'alpha', 'omega')).code).toBe(0)
  const broken = `PORT=4000\nDATABASE_URL=postgres://club:s3cret@127.0.0.1:9/fans\n`
  writeFileSync(pathOf('three/broken.env'), broken)
  const planned = await clubs('three', 'migrate', 'alpha', '--dry-run')
  expect([planned.code, planned.out]).toEqual([0, expect.stringContaining('1 of 1 clubs succeeded')])
  expect(readdirSync(folder)).not.toContain('alpha.db')
  for (const applied of ['Applied ', 'Up to date']) {
    const { code, out, err } = await clubs('three', 'migrate', '--all')
    expect(code).toBe(1)
    expect(out.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^alpha   ok      [0-9.]+ s +${applied}`)),
      expect.stringMatching(
        /^broken {2}failed {2}[0-9.]+ s +The database cannot be used: .*nothing accepts connections/,
      ),
      expect.stringMatching(new RegExp(`^omega   ok      [0-9.]+ s +${applied}`)),
      '2 of 3 clubs succeeded.',
      '',
    ])
    expect(out + err).not.toContain('s3cret')
  }
  expect(await clubs('three', 'verify', 'alpha')).toMatchObject({
    code: 0,
    out: expect.stringContaining('4 verifications without findings'),
  })
  const backedUp = await clubs('three', 'backup', 'alpha', 'omega', '--backups', pathOf('backups'))
  expect([backedUp.code, backedUp.out]).toEqual([0, expect.stringContaining('2 of 2 clubs succeeded.')])
  for (const name of ['alpha', 'omega'])
    expect(readdirSync(join(pathOf('backups'), name))).toContainEqual(expect.stringMatching(/\.db$/))
})

test('a dump that fails leaves no file, and each failure is explained once', async () => {
  expect((await create('failing', 'pending')).code).toBe(0)
  const unreachable = 'DATABASE_URL=postgres://club:s3cret@127.0.0.1:9/fans\n'
  writeFileSync(pathOf('failing/broken.env'), unreachable)
  const backups = pathOf('failing-backups')
  const dumped = await clubs('failing', 'backup', 'broken', '--backups', backups)
  expect([dumped.code, dumped.out]).toEqual([
    1,
    expect.stringMatching(/pg_dump: error: .*127\.0\.0\.1.*refused/),
  ])
  expect(readdirSync(join(backups, 'broken'))).toEqual([])
  const verified = await clubs('failing', 'verify', 'broken')
  expect(verified.out.match(/nothing accepts connections/g)).toHaveLength(1)
  expect(verified.out).toContain('verify-ledger, verify-quests, verify-pictures, audit verify: The database')
  const planned = await clubs('failing', 'migrate', 'pending', '--dry-run')
  expect(planned.out).toMatch(/^pending {2}ok {2}[0-9.]+ s {2}Would apply \d+ of \d+ migrations/)
})

test('a dump that the system kills leaves no file, and the signal is named', async () => {
  expect((await create('killed', 'alpha')).code).toBe(0)
  writeFileSync(pathOf('killed/alpha.env'), 'DATABASE_URL=postgres://club@127.0.0.1:9/fans\n')
  const programs = pathOf('killed-programs')
  mkdirSync(programs)
  const dump =
    '#!/bin/sh\nfor a; do case $a in --file=*) echo half > "$(echo "$a" | cut -c8-)";; esac; done\nkill -9 $$\n'
  writeFileSync(join(programs, 'pg_dump'), dump, { mode: 0o755 })
  const backups = pathOf('killed-backups')
  const { code, out } = await runScript(
    'clubs',
    ['backup', 'alpha', '--folder', pathOf('killed'), '--backups', backups],
    { env: { PATH: `${programs}:${process.env.PATH}` }, ownProcess: true },
  )
  expect([code, out]).toEqual([1, expect.stringContaining('was ended by SIGKILL')])
  expect(readdirSync(join(backups, 'alpha'))).toEqual([])
})

test('a club whose folder cannot be written, or whose database has a relative path, fails alone', async () => {
  expect((await create('odd', 'blocked', 'zone')).code).toBe(0)
  writeFileSync(pathOf('odd/lost.env'), 'DATABASE_URL=sqlite:lost-club.db\n')
  for (const name of ['none', 'nothing']) writeFileSync(pathOf(`odd/${name}.env`), 'PORT=\n')
  const listed = await clubs('odd', 'list')
  expect([listed.code, listed.out]).toEqual([0, expect.not.stringContaining('have the same')])
  expect((await clubs('odd', 'migrate', 'blocked', 'zone')).code).toBe(0)
  const backups = pathOf('odd-backups')
  mkdirSync(backups)
  writeFileSync(join(backups, 'blocked'), '')
  const { code, out } = await clubs('odd', 'backup', 'blocked', 'lost', 'zone', '--backups', backups)
  expect([code, out.split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/^blocked {2}failed .*is a file, not a directory/),
      expect.stringMatching(/^lost {5}failed .*sqlite:lost-club\.db is a relative path/),
      expect.stringMatching(/^zone {5}ok .*Wrote /),
      '1 of 3 clubs succeeded.',
      '',
    ],
  ])
  for (const action of ['migrate', 'verify'])
    expect((await clubs('odd', action, 'lost')).out).toContain('is a relative path')
  expect(existsSync(join(root, 'lost-club.db'))).toBe(false)
})

test('every file of settings is a club, and one that cannot be read fails alone', async () => {
  expect((await create('files', 'zone')).code).toBe(0)
  writeFileSync(pathOf('files/fc-harbour.env'), `DATABASE_URL=sqlite:${pathOf('fc-harbour.db')}\n`)
  writeFileSync(pathOf('files/lost.env'), `DATABASE_URL_FILE=${pathOf('files')}\n`)
  mkdirSync(pathOf('files/folder.env'))
  const listed = await clubs('files', 'list')
  expect([listed.code, listed.out.split('\n')]).toEqual([
    1,
    [
      expect.stringContaining(pathOf('fc-harbour.db')),
      `folder      3000  ${pathOf('files/folder.env')} is a directory, not a file.`,
      'lost        3000',
      expect.stringContaining(pathOf('zone.db')),
      '',
    ],
  ])
  const { code, out } = await clubs('files', 'migrate', '--all')
  expect([code, out.split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/^fc-harbour {2}ok .*Applied /),
      expect.stringMatching(/^folder {6}failed .*folder\.env is a directory, not a file\.$/),
      expect.stringMatching(/^lost {8}failed .*DATABASE_URL_FILE names a file that cannot be read/),
      expect.stringMatching(/^zone {8}ok /),
      '2 of 4 clubs succeeded.',
      '',
    ],
  ])
  const created = await create('files', 'another')
  expect([created.code, created.err]).toEqual([1, expect.stringContaining('folder.env is a directory')])
})

test.each(['list', 'migrate', 'verify', 'backup'])('a folder without clubs fails: %s', async action => {
  mkdirSync(pathOf('none'), { recursive: true })
  const { code, err } = await clubs('none', action, ...(action === 'list' ? [] : ['--all']))
  expect([code, err]).toEqual([1, `There are no clubs in ${pathOf('none')}: \`clubs create\` makes them.\n`])
})

test('a URL that cannot be read is named as such', async () => {
  mkdirSync(pathOf('urls'))
  writeFileSync(pathOf('urls/harbour.env'), 'DATABASE_URL=postgres://club:s3cret#1@127.0.0.1:9/fans\n')
  expect((await clubs('urls', 'list')).out).toStartWith('harbour  3000  not a URL\n')
  for (const action of ['migrate', 'verify', 'backup']) {
    const { code, out, err } = await clubs('urls', action, 'harbour', '--backups', pathOf('urls-backups'))
    expect([code, out]).toEqual([1, expect.stringContaining('DATABASE_URL cannot be read')])
    expect(out + err).not.toContain('s3cret')
  }
})

test('a signal ends the run after the club, deletes its dump, and shows what was done', async () => {
  mkdirSync(pathOf('stopped'))
  for (const name of ['alpha', 'omega'])
    writeFileSync(pathOf(`stopped/${name}.env`), 'DATABASE_URL=postgres://club@127.0.0.1:9/fans\n')
  const programs = pathOf('stopped-programs')
  mkdirSync(programs)
  const dump =
    '#!/bin/sh\nfor a; do case $a in --file=*) echo half > "$(echo "$a" | cut -c8-)";; esac; done\nkill -INT $PPID\n'
  writeFileSync(join(programs, 'pg_dump'), dump, { mode: 0o755 })
  // As with Ctrl-C, which every process of the terminal gets.
  writeFileSync(join(programs, 'pg_restore'), '#!/bin/sh\nkill -INT $$\n', { mode: 0o755 })
  const backups = pathOf('stopped-backups')
  const { code, out, err } = await runScript(
    'clubs',
    ['backup', '--all', '--folder', pathOf('stopped'), '--backups', backups],
    { env: { PATH: `${programs}:${process.env.PATH}` }, ownProcess: true },
  )
  expect([code, out]).toEqual([
    130,
    expect.stringMatching(/^alpha {2}failed .*was ended by SIGINT\n0 of 1 clubs/),
  ])
  expect(err).toMatch(/Stopped after 1\. To continue: .*clubs backup --all/)
  expect(readdirSync(backups)).toEqual(['alpha'])
  expect(readdirSync(join(backups, 'alpha'))).toEqual([])
})

test.each([
  [['migrate'], 'requires names of clubs, or --all'],
  [['migrate', 'harbour', '--all'], 'requires names of clubs, or --all'],
  [['create', 'harbour'], 'create requires --template'],
  [['create', '../harbour'], 'is not a valid name of a club'],
  [['create', 'pg_harbour', '--template', 'x'], 'not beginning with pg_'],
  [['create', 'Harbour', '--template', 'x'], 'is not a valid name of a club'],
])('%j is a usage error: %s', async (parameters, why) => {
  expect((await create('used', 'harbour')).code).toBe(0)
  const { code, err } = await clubs('used', ...parameters)
  expect([code, err]).toEqual([2, expect.stringContaining(why)])
})

describe.skipIf(noServer !== '')(`Clubs in one database (PostgreSQL)${noServer}`, () => {
  let temporary: TemporaryDatabase
  beforeAll(async () => {
    temporary = await postgresEngine.open(createClock())
    const template = readFileSync(pathOf('template.env'), 'utf8')
    writeFileSync(pathOf('server.env'), template.replace(/DATABASE_URL=.*/, `DATABASE_URL=${temporary.url}`))
  })
  afterAll(async () => {
    await withRawConnection(temporary, async run => {
      for (const name of ['harbour', 'valley']) await run(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
    })
    await temporary.remove()
  })

  test('are migrated, verified and dumped by schema', async () => {
    const created = await clubs('two', 'create', 'harbour', 'valley', '--template', pathOf('server.env'))
    expect(created).toMatchObject({ code: 0, err: '' })
    expect(settingsOf('two', 'valley')).toMatchObject({ DATABASE_SCHEMA: 'valley' })
    for (const action of ['migrate', 'verify', 'backup']) {
      const { code, out } = await clubs('two', action, '--all', '--backups', pathOf('dumps'))
      expect([action, code, out]).toEqual([action, 0, expect.stringContaining('2 of 2 clubs succeeded.')])
    }
    const recorded = await withRawConnection(temporary, run =>
      run("SELECT command FROM valley.maintenance_runs WHERE command = 'backup'"),
    )
    expect(recorded).toHaveLength(1)
    const [dump = ''] = readdirSync(pathOf('dumps/valley'))
    const { stdout } = Bun.spawnSync(['pg_restore', '--list', join(pathOf('dumps/valley'), dump)])
    const tables = [...stdout.toString().matchAll(/ TABLE (\w+) /g)].map(([, schema]) => schema)
    expect([...new Set(tables)].filter(schema => schema !== 'DATA')).toEqual(['valley'])
  })

  test('have pools that, for all twelve, fit into the default connections of a server', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `club_${n + 1}`)
    expect((await clubs('twelve', 'create', ...names, '--template', pathOf('server.env'))).code).toBe(0)
    const sizes = names.map(name => Number(settingsOf('twelve', name).DATABASE_POOL_SIZE))
    // 100, less the three that are reserved for superusers. A command has a pool of its own.
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(97 - Math.max(...sizes))
  })
})
