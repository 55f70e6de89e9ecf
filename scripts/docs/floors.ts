/**
 * The floors of `src/` and `db/`, from the bottom up. `test/architecture.test.ts` checks imports against them, and `bun run
 * docs` draws them.
 */

interface Domain {
  about: string
  /** Rooms from the bottom up. Rooms in one list do not import each other. Empty for a domain without rooms. */
  rooms: string[][]
}

/** A file imports from its own room, from lower rooms of its domain and from lower domains, type imports included. */
export const DOMAINS: Record<string, Domain> = {
  db: { about: 'tables, transactions, two engines, migrations', rooms: [] },
  core: { about: 'problems, caller, clock and ids, cursors, schema vocabulary', rooms: [] },
  platform: {
    about: 'what any service needs',
    rooms: [
      ['config', 'cache', 'files'],
      ['http', 'identity-provider', 'jobs', 'settings'],
      ['docs', 'health', 'tracing'],
    ],
  },
  identity: {
    about: 'who calls',
    rooms: [['users', 'server-keys'], ['sanctions'], ['auth'], ['relations', 'public-text', 'staff']],
  },
  club: {
    about: 'what the club declares',
    rooms: [
      ['catalogue', 'pictures'],
      ['teams', 'seasons', 'sponsors', 'documents', 'segments', 'settings', 'competitions'],
      ['matches', 'players', 'notifications'],
    ],
  },
  economy: {
    about: 'what happened, and what it earned',
    rooms: [
      ['leaderboard'],
      ['ledgers'],
      ['accounts'],
      ['points'],
      ['rules', 'cash'],
      ['events'],
      ['archive', 'expiry'],
    ],
  },
  play: {
    about: 'what fans do with points and cards',
    rooms: [
      ['wallets', 'purchases', 'check-ins', 'predictions', 'memberships'],
      ['eligibility'],
      ['rewards'],
      ['packs', 'top-ups'],
      ['quests', 'shop', 'lockers', 'sets', 'codes', 'questions', 'divisions'],
      ['trades', 'shares', 'catalogue-file', 'leagues', 'receipts'],
    ],
  },
  delivery: {
    about: 'what other systems receive',
    rooms: [
      ['webhooks', 'stream', 'preferences'],
      ['push', 'event-sink'],
    ],
  },
  fan: {
    about: 'a fan’s own pages',
    rooms: [
      ['profile', 'moderation', 'referrals', 'consents', 'status', 'messages'],
      ['onboarding', 'dashboard', 'account', 'social'],
    ],
  },
  figures: { about: 'what is counted of all fans', rooms: [['days', 'season']] },
  audit: {
    about: 'whether all that is stored is right',
    rooms: [['coverage', 'keys'], ['points', 'money', 'play', 'fans', 'records'], ['runs']],
  },
  operate: {
    about: 'what scripts and the console call, and what is measured',
    rooms: [['admin'], ['metrics', 'console']],
  },
  app: { about: 'composition: dependencies, routes, background tasks', rooms: [] },
}

const WIDTH = 860
const HEIGHT = 46
const GAP = 8
const NAME_WIDTH = 104
const ABOUT_WIDTH = 250

/** The floors as a picture, the top floor first. */
export function renderFloors(): string {
  const floors = Object.entries(DOMAINS).reverse()
  const height = floors.length * (HEIGHT + GAP) + GAP
  const rows = floors.map(([name, domain], index) => renderFloor(name, domain, GAP + index * (HEIGHT + GAP)))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t">
<title id="t">The floors of Matchday: imports run down only</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1c2430 }
  .name { font-weight: 600; font-size: 15px } .about { fill: #56616f }
  .floor { fill: #f4f6f9; stroke: #d5dbe3 } .room { fill: #fff; stroke: #b9c3cf }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8edf3 } .about { fill: #a4b0bd } .floor { fill: #1b222c; stroke: #36414f } .room { fill: #253041; stroke: #47566a }
  }
</style>
${rows.join('\n')}
</svg>
`
}

function renderFloor(name: string, { about, rooms }: Domain, y: number): string {
  const middle = y + HEIGHT / 2 + 5
  const start = NAME_WIDTH + ABOUT_WIDTH
  const flat = rooms.flat()
  // The width is proportional to the names.
  const unit = (WIDTH - start - GAP) / flat.reduce((sum, room) => sum + room.length + 3, 0)
  let x = start
  const boxes = flat.map(room => {
    const width = (room.length + 3) * unit - GAP
    const box = `<rect class="room" x="${round(x)}" y="${y + 8}" width="${round(width)}" height="${HEIGHT - 16}" rx="6"/><text x="${round(x + width / 2)}" y="${middle}" text-anchor="middle">${room}</text>`
    x += width + GAP
    return box
  })
  return [
    `<rect class="floor" x="${GAP}" y="${y}" width="${WIDTH - 2 * GAP}" height="${HEIGHT}" rx="8"/>`,
    `<text class="name" x="${GAP * 3}" y="${middle}">${name}</text>`,
    `<text class="about" x="${NAME_WIDTH + GAP}" y="${middle}">${about}</text>`,
    ...boxes,
  ].join('\n')
}

const round = (n: number) => Math.round(n * 10) / 10
