/**
 * `bun run test:distributed URL [FILE…]`: the tests of the economy, the races, the random models and a season on any
 * PostgreSQL-compatible cluster. FILE: a path that begins with `./`, or a part of paths. On Citus in schemas of the database of the URL, and two clubs of which one is moved; else in databases, at
 * SERIALIZABLE. All of them pass on PostgreSQL, so what fails is what differs. URL: of the coordinator on Citus, and of a user
 * who may create databases or schemas, and set `session_replication_role`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { FILES, listFiles } from './files.ts'

const [url, ...files] = process.argv.slice(2)
if (url === undefined || !URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
  process.stderr.write('Usage: bun run test:distributed postgres://USER@HOST:PORT/DATABASE [FILE…]\n')
  process.exit(2)
}

const MOVE = './test/distributed/move.ts'

const names = `matchday_cluster_${process.pid}_${Date.now()}_`
const folder = mkdtempSync(join(tmpdir(), 'matchday-distributed-'))
const report = join(folder, 'report.xml')
const server = new SQL(url, { max: 1 })
const [about] = await server.unsafe('SELECT version()')
const [citus] = await server.unsafe("SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'")
process.stdout.write(
  citus
    ? `${about.version}\nCitus ${citus.version}, in schemas ${names}*\n`
    : `${about.version}\nAt SERIALIZABLE, in databases ${names}*\n`,
)
const chosen = listFiles(files.length > 0 ? files : [...FILES, ...(citus ? [MOVE] : [])])
process.stdout.write(`${chosen.length} files\n`)

const run = Bun.spawn(
  [
    ...[
      process.execPath,
      'test',
      '--no-isolate',
      '--timeout',
      '600000',
      '--only-failures',
      '-t',
      'PostgreSQL',
    ],
    ...['--reporter=junit', `--reporter-outfile=${report}`, ...chosen],
  ],
  {
    cwd: join(import.meta.dir, '../..'),
    env: {
      ...process.env,
      TEST_POSTGRES_URL: url,
      ...(citus
        ? { TEST_CLUSTER_SCHEMAS: names }
        : { TEST_ISOLATION: 'serializable', TEST_CLUSTER_DATABASES: names }),
    },
    stdout: 'inherit',
    stderr: 'inherit',
  },
)
const status = await run.exited

const xml = existsSync(report) ? readFileSync(report, 'utf8') : ''
rmSync(folder, { recursive: true })
for (const { kind, name } of await server.unsafe(
  `SELECT 'DATABASE' AS kind, datname AS name FROM pg_database WHERE starts_with(datname, '${names}')
   UNION ALL SELECT 'SCHEMA', nspname FROM pg_namespace WHERE starts_with(nspname, '${names}')`,
))
  await server.unsafe(`DROP ${kind} ${name}${kind === 'SCHEMA' ? ' CASCADE' : ''}`)
await server.close()

const cases = [
  ...xml.matchAll(/<testcase name="(.*?)" classname="(.*?)" .*? file="(.*?)"[^>]*?(\/>|>\s*<(\w+))/g),
]
const ended = (outcome: string | undefined) => cases.filter(([, , , , , found]) => found === outcome)
const differing = ended('failure').map(
  ([, name, group, file]) => `${file}: ${[group, name].filter(Boolean).join(' > ')}`,
)
for (const title of differing) process.stdout.write(`differs: ${unescapeXml(title)}\n`)
process.stdout.write(`${ended(undefined).length} passed, ${differing.length} differ\n`)
// A run that crashed reports no failures.
process.exit(status === 0 && ended(undefined).length > 0 ? 0 : 1)

function unescapeXml(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => characters[name] ?? '')
}
