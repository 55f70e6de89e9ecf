/** README and docs/: their console blocks are run, their links resolve, and what is generated or listed is up to date. */
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { Glob, randomUUIDv7 } from 'bun'
import { readDocument } from '../../scripts/build/client-types.ts'
import { API_VERSION, type ApiVersion, versionFor } from '../../scripts/docs/api-version.ts'
import { DOMAINS, renderFloors } from '../../scripts/docs/floors.ts'
import { renderProblemCodes } from '../../scripts/docs/problem-codes.ts'
import { withKinds, withRoles, withSettings } from '../../scripts/docs/tables.ts'
import { problemTypes } from '../../src/app/problem-types.ts'
import { type RunningDev, root, startDev } from '../support/dev.ts'
import { commandOf, testedExecutable } from '../support/executable.ts'
import { readSamples, runModules, runSamples } from './documented-samples.ts'

const read = (page: string) => readFileSync(join(root, page), 'utf8')
const docs = [...new Glob('docs/**/*.md').scanSync(root)].sort()
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs]

interface Step {
  command: string
  output: string
}

/** The steps of every ```console block: a line that starts with `$ `, and the lines up to the next one. */
function readSteps(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block ?? '')
  return blocks.flatMap(block =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map(step => {
        const [command = '', ...output] = step.trimEnd().split('\n')
        return { command, output: output.join('\n') }
      }),
  )
}

/** Replaces what differs from run to run by its shape. */
function withoutValues(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/\b([0-9A-Z]{4}-){3}[0-9A-Z]{4}\b/g, 'CODE')
    .replaceAll('\r', '')
    .replace(/^\n+|\s+$/g, '')
}

/** For the shell: `bun run` of the commands of package.json by programs that are built, in a sixth of the CPU time. */
function defineRun(): string {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const cases = Object.entries(scripts).flatMap(([name, script]) => {
    const [, file] = /^bun (scripts\/[\w-]+\.ts)$/.exec(script) ?? []
    return file === undefined ? [] : [`${name}) shift; '${commandOf(file).join("' '")}' "$@";;`]
  })
  return `run() {
    local given=("$@")
    if [ "$1" = --silent ]; then shift; fi
    case "$1" in ${cases.join('\n')}
    *) command bun run "\${given[@]}";;
    esac
  }
  bun() { if [ "$1" = run ]; then run "\${@:2}"; else command bun "$@"; fi; }`
}

/** Runs the commands in one shell, as a reader does; a mark after each separates the outputs. */
async function runSteps(steps: Step[], { ports, env }: RunningDev): Promise<Step[]> {
  const mark = '--- end of step ---'
  const commands = steps
    .map(({ command }) => `${command}\necho; echo '${mark}'`)
    .join('\n')
    .replaceAll('localhost:3000', `localhost:${ports.PORT}`)
    .replaceAll('localhost:4000', `localhost:${ports.MOCK_IDP_PORT}`)
    .replaceAll(/\bbun run (--silent )?(?!-)/g, testedExecutable === null ? '$&' : `${testedExecutable} `)
  const script = testedExecutable === null ? `${defineRun()}\n${commands}` : commands
  const shell = Bun.spawn(['bash', '-c', script], {
    cwd: root,
    env: { ...env, IDP_ISSUER: `http://localhost:${ports.MOCK_IDP_PORT}` },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, errors] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ])
  const outputs = printed.split(mark)
  return steps.map(({ command, output }, at) => {
    const found = withoutValues(outputs[at] ?? '')
      .replaceAll(ports.PORT, '3000')
      .replaceAll(ports.MOCK_IDP_PORT, '4000')
    // The terminal of a reader shows standard error as well.
    return { command, output: found === '' && output !== '' && errors.includes(output) ? output : found }
  })
}

const withSteps = pages.filter(page => readSteps(read(page)).length > 0)

describe('console blocks', () => {
  test('are in the README and in several pages of docs/', () => {
    expect(withSteps).toContain('README.md')
    expect(withSteps.length).toBeGreaterThan(4)
    for (const page of withSteps) expect(read(page), page).not.toMatch(/```(bash|shell|terminal)\n/)
  })

  const folder = mkdtempSync(join(tmpdir(), 'matchday-documentation-'))
  const seeded = join(folder, 'seeded.db')
  afterAll(() => rmSync(folder, { recursive: true }))

  /** The first start seeds the database; each other one has a copy of it, and finds what a seed would write. */
  async function startSeeded(): Promise<RunningDev> {
    const path = join(folder, `${randomUUIDv7()}.db`)
    const isFirst = !existsSync(seeded)
    if (!isFirst) copyFileSync(seeded, path)
    const dev = await startDev({ DATABASE_URL: `sqlite:${path}` })
    if (isFirst) {
      using database = new Database(path)
      database.run(`VACUUM INTO '${seeded}'`)
    }
    return dev
  }

  /** Their outputs have points and quests of a fan who has done nothing else. The other pages share a server. */
  const needNewFan = ['docs/first-steps.md', 'docs/earning.md', 'docs/quests.md', 'docs/tour.md']
  const others = withSteps.filter(page => !needNewFan.includes(page))
  const groups = [others, ...needNewFan.map(page => [page])]

  test.each(groups.map(group => [group.join(', '), group] as const))(
    'every command of %s prints the output that is documented below it',
    async (_, group) => {
      const dev = await startSeeded()
      try {
        for (const page of group) {
          const samples = readSamples(read(page))
          if (samples.length > 0) await runSamples(samples, dev)
          await runModules(read(page), dev)
          const steps = readSteps(read(page))
          const expected = steps.map(({ command, output }) => ({ command, output: withoutValues(output) }))
          const found = (await runSteps(steps, dev)).map(step => ({
            ...step,
            output: withoutValues(step.output),
          }))
          expect(found, page).toEqual(expected)
        }
      } finally {
        await dev.stop()
      }
    },
  )
})

describe('examples in several languages', () => {
  const withSamples = pages.filter(page => readSamples(read(page)).length > 0)

  test('of the recipe for CI have a documented output', () => {
    expect(read('docs/recipes/ci.md')).toMatch(/```ts\n[^`]*```\s+It prints `/)
  })

  test('are in the first steps, whose commands are run', () => {
    expect(withSamples).toContain('docs/first-steps.md')
    expect(withSamples.filter(page => !withSteps.includes(page))).toEqual([])
  })

  test.each(withSamples)('those of %s send the same request in each language', page => {
    for (const { code } of readSamples(read(page))) {
      expect(Object.keys(code)).toEqual(['sh', 'ts', 'swift', 'kotlin'])
      const curl = code.sh ?? ''
      const [path] = /localhost:3000(\/api\/[\w/-]+)/.exec(curl) ?? []
      const values = [...(/-d '([\s\S]*?)'/.exec(curl)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(
        ([, text]) => text,
      )
      for (const language of ['swift', 'kotlin'])
        for (const part of [path, ...values, 'Bearer YOUR_TOKEN'])
          expect(code[language]).toContain(part ?? '')
      for (const value of values) expect(code.ts).toContain(value ?? '')
    }
  })
})

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (markdown: string) =>
  [...markdown.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test.each(pages)('every relative link of %s leads to a file and a heading', page => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link ?? '')
  const broken = links.filter(link => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
  })
  expect(broken).toEqual([])
})

test('every page of docs/ is in its index', () => {
  const index = read('docs/README.md')
  for (const page of docs.filter(name => name !== 'docs/README.md')) {
    expect(index, page).toContain(`](${page.slice('docs/'.length)})`)
  }
})

test('docs/problems.md has a section for each problem type, with the operations that respond with it', async () => {
  const page = read('docs/problems.md')
  expect(page, 'run `bun run docs`').toBe(renderProblemCodes(await readDocument(root)))
  const anchors = anchorsOf(page)
  expect(Object.keys(problemTypes).filter(code => !anchors.includes(code))).toEqual([])
  expect(page).toMatch(/### insufficient_points\n[\s\S]*?`POST \/api\/rewards\/claim`/)
})

test('the version of the OpenAPI document has moved with the last change of operations or members', async () => {
  const document = await readDocument(root)
  const kept: ApiVersion = JSON.parse(read(API_VERSION))
  expect(versionFor(document, kept), 'run `bun run docs`, which moves it').toEqual(kept)
  expect(document).toMatchObject({ info: { version: kept.version } })
})

/** An operation with a member `title`, or one that is changed. */
const described = (member = 'title', { summary = 'Read it', type = 'string' } = {}) => ({
  info: { version: '1.0.0' },
  paths: { '/api/x': { get: { summary, tags: ['X'], responses: { 200: { description: 'Read.' } } } } },
  components: { schemas: { X: { title: 'X', properties: { [member]: { type, description: 'A text.' } } } } },
})

test.each<[string, object, string]>([
  ['words', described('title', { summary: 'Read the x' }), '1.4.2'],
  ['the version itself', { ...described(), info: { version: '9.0.0' } }, '1.4.2'],
  ['a member', described('name'), '1.5.0'],
  ['a type', described('title', { type: 'integer' }), '1.5.0'],
  ['an operation', { ...described(), paths: { ...described().paths, '/api/y': { get: {} } } }, '1.5.0'],
])('the version of the OpenAPI document after a change of %s', (_, changed, version) => {
  const before = {
    version: '1.4.2',
    surface: versionFor(described(), { version: '1.4.2', surface: '' }).surface,
  }
  expect(versionFor(changed, before).version).toBe(version)
})

test('docs/console.md lists the current roles', () => {
  const page = read('docs/console.md')
  expect(page, 'run `bun run docs`').toBe(withRoles(page))
  expect(page).toContain('| `fans.erase` | Erase a fan (`erasure`) | | | | | yes |')
})

test('docs/catalogue.md lists the current kinds', () => {
  const page = read('docs/catalogue.md')
  expect(page, 'run `bun run docs`').toBe(withKinds(page))
  expect(page).toContain('| `rule` | `rules` | Points for each event of a type. | yes |')
})

test('docs/settings.md has the settings as they are', () => {
  const page = read('docs/settings.md')
  expect(page, 'run `bun run docs`').toBe(withSettings(page))
  expect(page).toContain('| `onboardingPoints` | `ONBOARDING_POINTS` | `100` |')
})

test('docs/configuration.md lists every variable that is read', async () => {
  const files = [...new Glob('src/platform/config/*.ts').scanSync(root), 'scripts/dev.ts', 'mock-idp/main.ts']
  const called =
    /(?:text|secret|required|integer|flag|oneOf|rate|readUrl|readList|readSecret|readInteger)\(\s*(?:reader,\s*)?'([A-Z][A-Z_]+)'/g
  const variables = files.flatMap(file => [...read(file).matchAll(called)].map(([, name]) => name ?? ''))
  const page = read('docs/configuration.md')
  expect(variables.length).toBeGreaterThan(45)
  expect(variables.filter(name => name !== 'NODE_ENV' && !page.includes(`\`${name}\``))).toEqual([])
})

test('docs/operations.md lists every command', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const page = read('docs/operations.md')
  const commands = Object.keys(scripts).filter(
    name => !/^(dev|test|test:soak|test:serializable|types:(console|field|growth))$/.test(name),
  )
  expect(commands.filter(name => !page.includes(`\`bun run ${name}`))).toEqual([])
})

test('docs/architecture.md and its picture name every domain and every room', () => {
  const places = Object.entries(DOMAINS).flatMap(([domain, { rooms }]) => [domain, ...rooms.flat()])
  const page = read('docs/architecture.md')
  expect(places.filter(place => !page.includes(`\`${place}\``))).toEqual([])
  expect(read('docs/floors.svg'), 'run `bun run docs`').toBe(renderFloors())
})
