/** The rules of the source tree: layers, rooms, owners of tables, and what each kind of file may contain. */
import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'

/** Rooms from the bottom up. A file imports from its own room and from rooms below, type imports included. */
const LAYERS = [
  ['db'],
  ['core'],
  ['config', 'cache'],
  ['http', 'identity-provider', 'catalogue'],
  ['users', 'teams', 'docs', 'health', 'server-keys'],
  ['auth', 'matches'],
  ['leaderboard'],
  ['points'],
  ['rules'],
  ['events'],
  ['rewards', 'packs', 'profile', 'check-ins', 'predictions', 'webhooks', 'event-sink'],
  ['quests'],
  ['onboarding', 'dashboard', 'account', 'stream'],
  ['admin', 'metrics', 'tracing'],
]

/** Files of `src/` outside rooms: they compose, and nothing below imports them. */
const COMPOSITION = ['app', 'background', 'client', 'deps', 'event-readers', 'main', 'workers'].map(
  name => `src/${name}.ts`,
)

/** Each table's one room. `admin` is the operators' code: audits and imports read and write every table. */
const OWNERS: Record<string, string[]> = {
  auth: ['nativeSessions', 'refreshTokens', 'revokedTokens'],
  catalogue: ['catalogueVersions'],
  'check-ins': ['checkIns'],
  'event-sink': ['eventSinks'],
  events: ['eventDistribution', 'events'],
  http: ['idempotencyKeys', 'rateLimitWindows'],
  leaderboard: ['leaderboardCounts', 'leaderboardEntries', 'leaderboardScores'],
  matches: ['matchSettlements', 'matches'],
  packs: ['collectibles', 'packItems', 'packPurchases', 'packs', 'userItems', 'userPacks'],
  points: ['pointsAccounts', 'pointsEntries', 'pointsGrants'],
  quests: ['questCounts', 'questProgress', 'questRequirements', 'questStreaks', 'questVersions', 'quests'],
  predictions: ['predictions'],
  rewards: ['rewards', 'userRewards'],
  rules: ['ruleBudgets', 'ruleUses', 'ruleVersions', 'rules'],
  'server-keys': ['serverKeys'],
  teams: ['teams'],
  users: ['deferredSyncs', 'identities', 'onboardings', 'users'],
  webhooks: ['webhookDeliveries', 'webhookEndpoints', 'webhookLanes'],
}

const root = join(import.meta.dir, '..')

interface Source {
  file: string
  text: string
  /** Packages as they are named, our own files from the root on. */
  imports: string[]
}

const sources: Source[] = await Promise.all(
  [...new Glob('{src,db,mock-idp,scripts}/**/*.ts').scanSync(root)].map(async file => {
    const text = await Bun.file(join(root, file)).text()
    const names = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name ?? '')
    return {
      file,
      text,
      imports: names.map(name => (name.startsWith('.') ? join(dirname(file), name) : name)),
    }
  }),
)
const runtime = sources.filter(({ file }) => /^(src|db)\//.test(file))

const roomOf = (file: string) => (file.startsWith('db/') ? 'db' : /^src\/([^/]+)\//.exec(file)?.[1])
const layerOf = (room: string) => LAYERS.findIndex(rooms => rooms.includes(room))
const isRoutes = (file: string) => /routes\.ts$/.test(file)
/** Files that know HTTP: the edge, the contract, the document, and the file that reads the bearer token. */
const isHttp = (file: string) =>
  isRoutes(file) ||
  /^src\/(http\/(edge|contract)|docs)\//.test(file) ||
  COMPOSITION.includes(file) ||
  [
    'src/auth/authenticate.ts',
    'src/auth/groups.ts',
    'src/http/idempotency/idempotency.ts',
    'src/server-keys/group.ts',
    'src/stream/topics.ts',
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

/** Import circles, each as the files on it. */
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
  expect(runtime.length).toBeGreaterThan(80)
  expect(runtime.filter(({ file }) => isRoutes(file)).length).toBeGreaterThan(8)
  expect(tablesIn('const { a, b: c } = tx.tables\nreader.tables.d')).toEqual(['a', 'b', 'd'])
})

describe('layers', () => {
  test('every file of src is in a room of the table, or composes', () => {
    const homeless = offenders(({ file }) => {
      const room = roomOf(file)
      return !COMPOSITION.includes(file) && (room === undefined || layerOf(room) < 0)
    })
    expect(homeless).toEqual([])
  })

  test('no import leads to a room above, or to a room of the same layer that leads back', () => {
    const upward = runtime.flatMap(({ file, imports }) => {
      const from = roomOf(file)
      if (from === undefined) return []
      return imports
        .filter(name => {
          const to = roomOf(name)
          return to !== undefined && layerOf(to) > layerOf(from)
        })
        .map(name => `${file} → ${name}`)
    })
    expect(upward).toEqual([])
  })

  test('no file below imports what composes', () => {
    const composed = offenders(
      ({ file, imports }) => !COMPOSITION.includes(file) && imports.some(name => COMPOSITION.includes(name)),
    )
    expect(composed).toEqual([])
  })

  test('no import circle exists anywhere', () => {
    expect(circles()).toEqual([])
  })
})

describe('tables', () => {
  const ownerOf = new Map(Object.entries(OWNERS).flatMap(([room, tables]) => tables.map(t => [t, room])))

  test('every table has one owner', () => {
    const schema = sources.filter(({ file }) => file.startsWith('db/schema/')).map(({ text }) => text)
    const declared = [...schema.join('\n').matchAll(/const (\w+) = (?:\w+\.)?table\(/g)].map(
      ([, name]) => name,
    )
    expect([...ownerOf.keys()].sort()).toEqual(declared.map(String).sort())
  })

  test('no file names a table of another room, except operators’ code', () => {
    const foreign = runtime.flatMap(({ file, text }) => {
      const room = roomOf(file)
      if (room === undefined || room === 'db' || room === 'admin') return []
      return tablesIn(text)
        .filter(name => ownerOf.has(name) && ownerOf.get(name) !== room)
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

  test('no verb imports Elysia or the HTTP edge', () => {
    const http = /^elysia$|^@elysiajs\/|^src\/http\/(edge|contract)\//
    const verbs = offenders(
      ({ file, imports }) =>
        file.startsWith('src/') && !isHttp(file) && imports.some(name => http.test(name)),
    )
    expect(verbs).toEqual([])
  })

  test('changes of a caller use `write` of the context, which implements Idempotency-Key', () => {
    // Responses of `auth` carry secrets; deliveries and requests of other systems carry no key.
    const mayWrite = [
      'src/auth/routes.ts',
      'src/users/routes.ts',
      'src/http/idempotency/idempotency.ts',
      'src/server-keys/group.ts',
    ]
    const writers = offenders(
      ({ file, text }) => isHttp(file) && /\bdb\.write\(/.test(text) && !mayWrite.includes(file),
    )
    expect(writers).toEqual([])
  })

  test.each([
    ['metrics', '@prometheus-io/'],
    ['tracing', '@opentelemetry/'],
  ])('only main.ts loads src/%s/ and its library, and only when it is asked for', (room, library) => {
    const folder = `src/${room}/`
    const isPart = (name: string) => name.startsWith(folder) || name.startsWith(library)
    const loading = runtime.filter(({ file, imports }) => !file.startsWith(folder) && imports.some(isPart))
    expect(loading.map(({ file }) => file)).toEqual(['src/main.ts'])
    expect(loading[0]?.text).not.toMatch(new RegExp(`^import (?!type ).*'./${room}/`, 'm'))
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
      'src/config/development-secrets.ts',
      'db/sqlite/connection.ts',
      'db/postgres/conflicts.ts',
    ]
    expect(offenders(({ file, text }) => asks.test(text) && !mayAsk.includes(file))).toEqual([])
  })
})
