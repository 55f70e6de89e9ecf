/** The rules of the source tree: layers, rooms, owners of tables, and what each kind of file may contain. */
import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'

import { sqlite } from '../db/schema/columns.ts'
import { tablesOf } from '../db/schema/tables.ts'
import { DOMAINS } from '../scripts/docs/floors.ts'
// Its tests run with these.
import './names.ts'

/** The file that starts the program; it imports `app/`, and nothing imports it. */
const ENTRY_POINTS = ['src/main.ts']

const root = join(import.meta.dir, '..')

const sourceFiles = (pattern: string) =>
  [...new Glob(pattern).scanSync(root)].filter(
    file => !file.includes('node_modules/') && !file.startsWith('test/clients/generated/'),
  )

interface Source {
  file: string
  text: string
  /** Packages as they are named, our own files from the root on. */
  imports: string[]
}

const sources: Source[] = await Promise.all(
  sourceFiles('{src,db,mock-idp,scripts,examples}/**/*.{ts,tsx}').map(async file => {
    const text = await Bun.file(join(root, file)).text()
    const names = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name ?? '')
    return {
      file,
      text,
      imports: names.map(name => (name.startsWith('.') ? join(dirname(file), name) : name)),
    }
  }),
)
/** The npm packages, which are not part of the server, and the imports that each may have in addition to its own files. */
const PACKAGES: Record<string, string[]> = {
  'src/client/': [],
  'src/backend/': ['@matchday/client', 'jose'],
  'src/react/': ['@matchday/client', 'react'],
}
const packageOf = (file: string) => Object.keys(PACKAGES).find(folder => file.startsWith(folder))
/** Makes a request from the generated facts of its operation. The client of the console's pages shares it. */
const SHARED_BY_PAGES = 'src/client/requests.ts'
/** The console's pages, which run in a browser. */
const isPage = (file: string) => file.startsWith('src/console/')
const runtime = sources.filter(({ file }) => /^(src|db)\//.test(file) && !packageOf(file) && !isPage(file))

const domainOf = (file: string) => /^(?:src\/)?([^/]+)\//.exec(file)?.[1] ?? ''
/** `play/rewards`, or only the domain if it has no rooms. */
const placeOf = (file: string) => {
  const domain = domainOf(file)
  const room = /^src\/[^/]+\/([^/]+)\//.exec(file)?.[1]
  return DOMAINS[domain]?.rooms.length && room !== undefined ? `${domain}/${room}` : domain
}
/** Floors from the bottom up; rooms of one line share a floor. */
const FLOORS = Object.entries(DOMAINS).flatMap(([domain, { rooms }]) =>
  rooms.length === 0 ? [[domain]] : rooms.map(line => line.map(room => `${domain}/${room}`)),
)
const floorOf = (file: string) => FLOORS.findIndex(places => places.includes(placeOf(file)))
const isComposition = (file: string) => domainOf(file) === 'app' || ENTRY_POINTS.includes(file)
const isRoutes = (file: string) => /routes\.ts$/.test(file)
/** Files that know HTTP: the edge, the contract, the document, and the file that reads the bearer token. */
const isHttp = (file: string) =>
  isRoutes(file) ||
  /^src\/platform\/(http\/(edge|contract)|docs)\//.test(file) ||
  /^src\/operate\/console\/(contract\/|app\.ts|server\.ts)/.test(file) ||
  isComposition(file) ||
  [
    'src/identity/auth/authenticate.ts',
    'src/identity/auth/fans-or-servers.ts',
    'src/identity/auth/groups.ts',
    'src/platform/http/idempotency/idempotency.ts',
    'src/identity/server-keys/group.ts',
    'src/delivery/stream/topics.ts',
  ].includes(file)
const offenders = (breaks: (source: Source) => boolean) => runtime.filter(breaks).map(({ file }) => file)

/** The tables that a file names. */
function tablesIn(text: string): string[] {
  const destructured = [...text.matchAll(/const \{([^}]*)\} = (?:\w+\.)*tables\b/g)].flatMap(([, names]) =>
    (names ?? '').split(',').map(name => name.split(':')[0]?.trim() ?? ''),
  )
  const direct = [...text.matchAll(/\btables\.(\w+)|\bTables\['(\w+)'\]/g)].map(([, a, b]) => a ?? b ?? '')
  return [...new Set([...destructured, ...direct])].filter(name => name !== '')
}

/** The parts of the spine that a file uses. */
function partsIn(text: string): string[] {
  const destructured = [...text.matchAll(/\{([^{}]*)\} = (?:\w+\.)*spine\b/g)].flatMap(([, names]) =>
    (names ?? '').split(',').map(name => name.split(':')[0]?.trim() ?? ''),
  )
  const direct = [...text.matchAll(/\bspine\.(?!ts\b)(\w+)/g)].map(([, name]) => name ?? '')
  return [...new Set([...destructured, ...direct])].filter(name => name !== '')
}

const tests = await Promise.all(
  sourceFiles('test/**/*.ts').map(async file => ({ file, text: await Bun.file(join(root, file)).text() })),
)

/** Import cycles, each as a list of files. */
function circles(): string[][] {
  const importsOf = new Map(sources.map(({ file, imports }) => [file, imports]))
  const found: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  function visit(file: string) {
    const at = path.indexOf(file)
    if (at >= 0) return void found.push(path.slice(at))
    if (done.has(file)) return
    path.push(file)
    for (const name of importsOf.get(file) ?? []) if (importsOf.has(name)) visit(name)
    path.pop()
    done.add(file)
  }
  for (const { file } of sources) visit(file)
  return found
}

test('there is something to check', () => {
  expect(sources.filter(({ file }) => file.endsWith('.tsx')).length).toBeGreaterThan(90)
  expect(runtime.length).toBeGreaterThan(80)
  expect(runtime.filter(({ file }) => isRoutes(file)).length).toBeGreaterThan(8)
  expect(tablesIn('const { a, b: c } = tx.tables\nreader.tables.d')).toEqual(['a', 'b', 'd'])
  expect(partsIn("const { a, b: c } = tx.spine\nspine.d.e()\nimport './spine.ts'")).toEqual(['a', 'b', 'd'])
})

describe('floors', () => {
  test('every file of src is in a room of the table, or starts a program', () => {
    expect(offenders(file => !ENTRY_POINTS.includes(file.file) && floorOf(file.file) < 0)).toEqual([])
  })

  test('no import leads to a domain or a room above, or to another room of the same floor', () => {
    const upward = runtime
      .filter(({ file }) => !ENTRY_POINTS.includes(file))
      .flatMap(({ file, imports }) =>
        imports
          .filter(name => /^(src|db)\//.test(name))
          .filter(
            name =>
              ENTRY_POINTS.includes(name) ||
              floorOf(name) > floorOf(file) ||
              (floorOf(name) === floorOf(file) && placeOf(name) !== placeOf(file)),
          )
          .map(name => `${file} → ${name}`),
      )
    expect(upward).toEqual([])
  })

  // The type of `spine` shows all parts to each room.
  test('a room uses its own part of the spine, and those of rooms below it', () => {
    const ownerOf = new Map(
      runtime.flatMap(({ file, text }) => {
        const part = /interface Spine \{\s+readonly (\w+):/.exec(text)?.[1]
        return part === undefined ? [] : [[part, file] as const]
      }),
    )
    const uses = runtime.flatMap(({ file, text }) => partsIn(text).map(part => ({ file, part })))
    expect(new Set(uses.map(({ part }) => part))).toEqual(new Set(ownerOf.keys()))
    const upward = uses.filter(({ file, part }) => {
      const owner = ownerOf.get(part) ?? ''
      return floorOf(owner) >= floorOf(file) && placeOf(owner) !== placeOf(file)
    })
    expect(upward).toEqual([])
  })

  test('npm packages and the rest of the repository do not import each other', () => {
    const across = sources
      // The example is an app like any other.
      .filter(({ file }) => !file.startsWith('examples/'))
      .flatMap(({ file, imports }) => {
        const own = packageOf(file)
        const isWrong = (name: string) =>
          own
            ? !name.startsWith(own) && !PACKAGES[own]?.includes(name)
            : (packageOf(name) && !(isPage(file) && name === SHARED_BY_PAGES)) ||
              name.startsWith('@matchday/')
        return imports.filter(isWrong).map(name => [file, name])
      })
    expect(sources.filter(({ file }) => packageOf(file)).length).toBeGreaterThan(10)
    expect(across).toEqual([])
  })

  test('the pages of the console import only their contract, and nothing of the server, types included', () => {
    const importsOf = new Map(sources.map(({ file, imports }) => [file, imports]))
    const reached = new Set(sources.map(({ file }) => file).filter(isPage))
    expect(reached.size).toBeGreaterThan(100)
    for (const file of reached) for (const name of importsOf.get(file) ?? []) reached.add(name)
    const others = [...reached].filter(name => /^(src|db)\//.test(name) && !isPage(name))
    expect(others.toSorted()).toEqual(
      [
        // The forms of rules offer each comparison: a list of words that imports nothing.
        'src/club/catalogue/operators.ts',
        // The forms of segments offer each fact with its comparisons.
        'src/club/segments/facts.ts',
        SHARED_BY_PAGES,
      ].toSorted(),
    )
  })

  test('only eligibility, composition, and code for all data of a fan import wallets', () => {
    const users = offenders(
      ({ file, imports }) =>
        placeOf(file) !== 'play/wallets' &&
        // The lists name the problems of each room that a handler reaches.
        !file.endsWith('/problems.generated.ts') &&
        imports.some(name => name.startsWith('src/play/wallets/')),
    )
    expect(users.filter(file => placeOf(file) !== 'play/eligibility' && !isComposition(file))).toEqual([
      'src/fan/account/erase-user.ts',
      'src/operate/admin/export-user.ts',
    ])
    expect(users.filter(file => placeOf(file) === 'play/eligibility')).not.toEqual([])
  })

  test('no import circle exists anywhere', () => {
    expect(circles()).toEqual([])
  })
})

describe('tables', () => {
  /** `db/schema/play/rewards.ts` has the tables of `src/play/rewards/`. */
  const definitions = sources.flatMap(({ file, text }) => {
    const owner = /^db\/schema\/([^/]+\/[^/]+)\.ts$/.exec(file)?.[1]
    return owner === undefined ? [] : [{ owner, text }]
  })
  const ownerOf = new Map(
    definitions.flatMap(({ owner, text }) =>
      [...text.matchAll(/const (\w+) = table\(/g)].map(([, name]) => [name, owner]),
    ),
  )

  test('every table is defined in the file of the room that owns it', () => {
    expect([...ownerOf.keys()].sort()).toEqual(Object.keys(tablesOf(sqlite)).sort())
    const rooms = FLOORS.flat()
    expect(definitions.map(({ owner }) => owner).filter(owner => !rooms.includes(owner))).toEqual([])
  })

  // `admin` is the operators' code: imports and repairs write every table. Figures and verifications read all tables, so a
  // file of theirs that can write names those of its room alone.
  test('no file names a table of another room, except operators’ code, and readers of figures and audits', () => {
    const canWrite = (text: string) => /\bTransaction\b|\bwrite\(/.test(text)
    const foreign = runtime.flatMap(({ file, text }) => {
      const place = placeOf(file)
      if (place === 'db' || place === 'operate/admin') return []
      if (['figures', 'audit'].includes(domainOf(file)) && !canWrite(text)) return []
      return tablesIn(text)
        .filter(name => ownerOf.has(name) && ownerOf.get(name) !== place)
        .map(name => `${file}: ${name}`)
    })
    expect(foreign).toEqual([])
  })
})

describe('kinds of files', () => {
  test('no route group contains SQL', () => {
    const sql = /\.(select|insert|update|delete)\(|sql`/
    const withSql = offenders(({ file, text, imports }) => {
      // `.delete(` with a path is a route.
      const body = text.replace(/\.delete\(\s*['`]/g, '')
      return isRoutes(file) && (imports.some(name => name.startsWith('drizzle-orm')) || sql.test(body))
    })
    expect(withSql).toEqual([])
  })

  test('no object is spread that is written in place, which the compiler does not check for excess members', () => {
    const spreading = sources.filter(({ text }) => /\.\.\.\{/.test(text))
    expect(spreading.map(({ file }) => file)).toEqual([])
  })

  test('each cast states its guarantee, in the lines above or in the head of the file', () => {
    const cast =
      /[\w)\]}>] as (?!const\b)(?:[([]|\{ |[A-Z]|(?:string|number|boolean|object|unknown|never|keyof|typeof|any)\b)/
    const unexplained = sources
      .filter(({ file }) => /^(src|db)\//.test(file) && !/generated/.test(file))
      .flatMap(({ file, text }) => {
        const lines = text.split('\n')
        const says = (from: number, to: number) =>
          /\bGuarantees?\b/.test(lines.slice(Math.max(0, from), to).join(' '))
        return lines.flatMap((line, index) => {
          const code = line.replace(
            /'[^']*'|`[^`]*(`|$)|\/[/*].*|^ *\*.*|^\s*(import|export|type) .*|^\s*\w+ as \w+,$/g,
            '',
          )
          return cast.test(code) && !says(index - 12, index + 1) && !says(0, 6)
            ? [`${file}:${index + 1}`]
            : []
        })
      })
    expect(unexplained).toEqual([])
  })

  test('every kind of the catalogue that a room declares is in the list of kinds', () => {
    const declaration = /^export const (\w+) = declare(?:Plain|Restricted)?Kind\b/gm
    const declared = runtime.flatMap(({ text }) =>
      [...text.matchAll(declaration)].map(([, name = '']) => name),
    )
    const { text = '' } = sources.find(({ file }) => file.endsWith('/catalogue-file/kinds.ts')) ?? {}
    const [, list = ''] = /^export const kinds = \[([^\]]*)\]/m.exec(text) ?? []
    expect(list.match(/\w+/g)?.toSorted()).toEqual(declared.toSorted())
    // Kinds are declared in this form only.
    const others = offenders(
      ({ text }) =>
        /\bdeclare(Plain|Restricted)?Kind\b/.test(text) &&
        !/^export (const|function) .*\bdeclare\w*Kind\b/m.test(text),
    )
    expect(others).toEqual([])
  })

  test('each name of a cached response has one place that computes it', () => {
    const named = runtime.flatMap(({ text }) =>
      [...text.matchAll(/\bcache\.get\('([^']+)'/g)].map(([, name]) => name),
    )
    // A plain kind caches its public list under the name of the list.
    const lists = runtime.flatMap(({ text }) =>
      text.includes('= declarePlainKind(')
        ? [...text.matchAll(/^ {2}list: '(\w+)'/gm)].map(([, name]) => name)
        : [],
    )
    expect(lists.length).toBeGreaterThan(2)
    const names = [...named, ...lists]
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  test('only composition imports a file of all dependencies: each room declares its own', () => {
    const composing = /^src\/(app\/|main\.ts|operate\/console\/(app|server)\.ts)/
    expect(
      offenders(
        ({ file, imports }) => !composing.test(file) && imports.some(name => name.endsWith('/deps.ts')),
      ),
    ).toEqual([])
  })

  test('no verb imports Elysia or the HTTP edge', () => {
    const http = /^elysia$|^@elysiajs\/|^src\/platform\/http\/(edge|contract)\//
    const verbs = offenders(
      ({ file, imports }) =>
        file.startsWith('src/') && !isHttp(file) && imports.some(name => http.test(name)),
    )
    expect(verbs).toEqual([])
  })

  test('changes of a caller use `write` of the context, which implements Idempotency-Key', () => {
    // Responses of `auth` contain secrets; deliveries and requests of other systems have no key.
    const mayWrite = [
      'src/identity/auth/fans-or-servers.ts',
      'src/identity/auth/routes.ts',
      'src/identity/users/routes.ts',
      'src/platform/http/idempotency/idempotency.ts',
      'src/identity/server-keys/group.ts',
      // Actions of staff accept no key: the audit log shows what they have written.
      'src/operate/console/contract/act.ts',
      'src/operate/console/provider/routes.ts',
      'src/operate/console/sessions/routes.ts',
    ]
    const writers = offenders(
      ({ file, text }) => isHttp(file) && /\bdb\.write\(/.test(text) && !mayWrite.includes(file),
    )
    expect(writers).toEqual([])
  })

  test.each([
    ['operate/metrics', '@prometheus-io/'],
    ['platform/tracing', '@opentelemetry/'],
  ])('only main.ts loads src/%s/ and its library, and only when it is asked for', (room, library) => {
    const folder = `src/${room}/`
    const isPart = (name: string) => name.startsWith(folder) || name.startsWith(library)
    const loading = runtime.filter(({ file, imports }) => !file.startsWith(folder) && imports.some(isPart))
    expect(loading.map(({ file }) => file)).toEqual(['src/main.ts'])
    expect(loading[0]?.text).not.toMatch(new RegExp(`^import (?!type ).*'./${room}/`, 'm'))
  })

  test.each([
    ['TypeBox', /^@sinclair\/typebox/, ['src/core/typebox.ts']],
    ['the document of @elysiajs/swagger', /^@elysiajs\/swagger/, ['src/platform/docs/openapi.ts']],
    ['the token of @elysiajs/bearer', /^@elysiajs\/bearer/, ['src/platform/http/contract/bearer.ts']],
    ['viem', /^viem/, ['src/play/wallets/ethereum.ts']],
    ['the client of @elysiajs/eden', /^@elysiajs\/eden/, ['src/app/eden.ts']],
  ])('%s enters through one file', (_, library, files) => {
    const importing = sources
      .filter(({ file }) => !/^(mock-idp|scripts\/bench\/servers)\//.test(file))
      .filter(({ imports }) => imports.some(name => library.test(name)))
    expect(importing.map(({ file }) => file)).toEqual(files)
  })

  test('only routes, groups of routes and the HTTP edge import Elysia, and three files use its hooks', () => {
    const importing = offenders(({ file, imports }) => !isRoutes(file) && imports.includes('elysia'))
    expect(importing.filter(file => !file.startsWith('src/platform/')).toSorted()).toEqual([
      'src/app/app.ts',
      'src/identity/auth/fans-or-servers.ts',
      'src/identity/auth/groups.ts',
      'src/identity/server-keys/group.ts',
      'src/operate/console/app.ts',
      'src/operate/console/contract/action.ts',
      'src/operate/console/contract/staff.ts',
    ])
    const hook =
      /\.(on(Request|Parse|Transform|BeforeHandle|AfterHandle|AfterResponse|Error|Start|Stop)|mapResponse|mapDerive|resolve)\((\{ as|\(\{)|\b(beforeHandle|afterHandle|transform):/
    expect(offenders(({ text }) => hook.test(text)).toSorted()).toEqual([
      'src/operate/console/contract/operation.ts',
      'src/platform/http/contract/operation.ts',
      'src/platform/http/edge/server-hooks.ts',
    ])
  })

  test('only db/ uses a dialect', () => {
    const dialect = /drizzle-orm\/(pg-core|sqlite-core|bun-sql|bun-sqlite|pglite)|bun:sqlite/
    expect(
      offenders(({ file, imports }) => file.startsWith('src/') && imports.some(name => dialect.test(name))),
    ).toEqual([])
  })

  test('only sources.ts reads the clock and generates ids and random bytes', () => {
    const asks = /Date\.now\(|new Date\(\)|randomUUID|Math\.random|getRandomValues/
    // Jitter between two attempts at a lock, and secrets of development: no test needs to control them.
    const mayAsk = [
      'src/core/sources.ts',
      'src/platform/config/development-secrets.ts',
      'db/sqlite/connection.ts',
      'db/postgres/conflicts.ts',
    ]
    expect(offenders(({ file, text }) => asks.test(text) && !isPage(file) && !mayAsk.includes(file))).toEqual(
      [],
    )
  })
})

test('tests wait for a condition: only `waitUntil` lets time pass', () => {
  const sleeps = /Bun\.sleep\(|\bsetTimeout\(|timers\/promises/
  const mayWait = ['test/support/wait-until.ts']
  expect(tests.length).toBeGreaterThan(300)
  expect(
    tests
      .filter(({ text }) => sleeps.test(text))
      .map(({ file }) => file)
      .toSorted(),
  ).toEqual(mayWait)
})
