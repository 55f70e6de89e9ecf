/** The executable of `bun run build`: the same bytes anywhere, every command of an operator, and nothing else needed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import product from '../package.json'
import { readProductionPackages } from '../scripts/licenses/packages.ts'
import { assets as docsAssets } from '../src/platform/docs/page.ts'
import { assets as checkInAssets } from '../src/play/check-ins/page.ts'
import { startDev } from './support/dev.ts'
import { root } from './support/executable.ts'
import { secrets } from './support/processes.ts'

/** Scripts of package.json that need the repository. */
const DEVELOPMENT = [
  ...[
    'bench',
    'build',
    'clients',
    'docs',
    'format',
    'generate',
    'licenses',
    'lint',
    'problems',
    'screenshots',
    'test',
    'test:browser',
    'test:chain',
    'test:distributed',
    'test:executable',
    'test:serializable',
  ],
  ...['test:soak', 'typecheck', 'types:console', 'types:field', 'types:growth', 'unused'],
]

const folder = mkdtempSync(join(tmpdir(), 'matchday-executable-'))
const matchday = join(folder, 'dist/matchday')
let sha256: string

async function run(
  command: string[],
  { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> },
) {
  const child = Bun.spawn(command, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

const COMMIT = 'c0ffee'.padEnd(40, '0')

/** Builds from the repository at `cwd`, and returns the SHA-256. */
async function build(cwd: string, out: string, env: Record<string, string>): Promise<string> {
  const command = [process.execPath, 'scripts/build.ts', '--json', '--out', out, '--commit', COMMIT]
  const built = await run(command, { cwd, env })
  expect(built).toMatchObject({ code: 0, err: '' })
  return JSON.parse(built.out).sha256
}

/** Commands of the executable that the documentation and `deploy/` name. */
function namedCommands(): string[] {
  const pages = [...new Glob('{docs/**/*.md,deploy/*}').scanSync(root)].map(path =>
    readFileSync(join(root, path), 'utf8'),
  )
  const calls = /(?:[`/]|^)matchday ([a-z][a-z-]+)|^(?:CMD|.*(?:command|args):) \[\W*([a-z-]+)/gm
  return pages.flatMap(page => [...page.matchAll(calls)].map(([, a, b]) => a ?? b ?? ''))
}

beforeAll(async () => {
  sha256 = await build(root, join(folder, 'dist'), { HOME: folder })
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a build of a copy with only the packages of the bill of materials gives the same bytes', async () => {
  const copy = join(folder, 'copy')
  const files = [
    'bun.lock',
    'db',
    'docs',
    'examples',
    'mock-idp',
    'package.json',
    'scripts',
    'src',
    'tsconfig.json',
  ]
  const sbom = await Bun.file(`${matchday}.cdx.json`).json()
  const packages: string[] = sbom.components
    .filter(({ type }: { type: string }) => type === 'library')
    .map(({ name }: { name: string }) => `node_modules/${name}`)
  const filter = (name: string) => !/\.(map|d\.[cm]?ts)$/.test(name)
  for (const path of [...files, ...packages])
    cpSync(join(root, path), join(copy, path), { recursive: true, filter })
  const env = { HOME: copy, NODE_ENV: 'production', TZ: 'Pacific/Auckland', LC_ALL: 'C' }
  expect(await build(copy, join(folder, 'again'), env)).toBe(sha256)
})

test('the bill of materials names Bun, the executable by its hash, and every package of production', async () => {
  const sbom = await Bun.file(`${matchday}.cdx.json`).json()
  expect(sbom.metadata.component.hashes).toEqual([{ alg: 'SHA-256', content: sha256 }])
  const refs = sbom.components.map((one: { 'bom-ref': string }) => one['bom-ref'])
  expect(refs).toContain(`pkg:generic/bun@${Bun.version}`)
  expect(refs.length).toBeGreaterThan((await readProductionPackages(root)).length)
})

test('lists every command for operators, each with its own help', async () => {
  const { out } = await run([matchday, '--help'], {})
  const listed = [...out.matchAll(/^ {2}([a-z][a-z-]+)(?: \[options\])? {2}/gm)].map(([, name]) => name ?? '')
  const scripts = Object.keys(product.scripts).filter(name => !DEVELOPMENT.includes(name))
  const expected = [...scripts.map(name => (name === 'start' ? 'serve' : name)), 'mock-idp']
  expect(listed.toSorted()).toEqual(expected.toSorted())
  expect(namedCommands().filter(name => !listed.includes(name))).toEqual([])
  const help = await run([matchday, 'grant', '--help'], {})
  expect(help.out).toContain('  matchday grant ')
  expect(await run([matchday, '--version'], {})).toMatchObject({
    code: 0,
    out: `${product.version} (${COMMIT})\n`,
  })
  expect(await run([matchday, 'no-command'], {})).toMatchObject({ code: 2, out: '' })
})

test('serves every page from an empty folder, with secrets that leave it without data/, and without other programs, with workers', async () => {
  const dev = await startDev({ ...secrets, WORKERS: '2', MOCK_IDP_FANS: '5', MOCK_IDP_KEYS: '' }, matchday)
  try {
    const origin = `http://localhost:${dev.ports.PORT}`
    const paths = [
      ...['/', '/docs', '/openapi.json', '/docs/guide', '/docs/guide/deployment', '/demo', '/check-in/derby'],
      ...['/demo/rewards', '/demo/service-worker.js', '/demo/pictures/crests-harbour-city.svg'],
      ...Object.keys(docsAssets).map(name => `/docs/${name}`),
      ...Object.keys(checkInAssets).map(name => `/check-in/assets/${name}`),
    ]
    const responses = await Promise.all(paths.map(path => fetch(origin + path)))
    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200))
    const idp = await fetch(`http://localhost:${dev.ports.MOCK_IDP_PORT}/assets/base.css`)
    expect(idp.status).toBe(200)

    const { env } = dev
    expect(await run([matchday, 'health'], { env })).toMatchObject({ code: 0 })
    const issuer = `http://localhost:${dev.ports.MOCK_IDP_PORT}`
    const { out: token } = await run([matchday, 'token'], { env: { ...env, IDP_ISSUER: issuer } })
    const onboarded = await fetch(`${origin}/api/user/onboarding`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.trim()}` },
    })
    expect(onboarded.status).toBe(200)
    const write = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' }
      const written = await fetch(origin + path, { method, headers, body: JSON.stringify(body) })
      expect(written.status).toBe(200)
    }
    await write('POST', '/api/user/profile', { handle: 'executable' })
    await write('PUT', '/api/user/locker', { title: 'Derby days', theme: 'night', shelves: [] })
    const shared = [
      '/lockers/executable',
      '/lockers/executable/picture.png',
      '/lockers/-/share.css',
      '/withdraw',
      '/withdraw/assets/form-page.css',
      '/withdraw/assets/withdraw.js',
      '/notice',
      '/notice/assets/form-page.css',
    ]
    for (const path of shared) expect((await fetch(origin + path)).status).toBe(200)
    expect(await run([matchday, 'verify-ledger'], { env })).toMatchObject({ code: 0 })
  } finally {
    await dev.stop()
  }
  expect(await run([matchday, 'health'], { env: dev.env })).toMatchObject({ code: 1 })
})
