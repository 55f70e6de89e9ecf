/**
 * Live Activities of iOS, which show a match. Their pushes have no content of their own: each gets the state of the match when it is
 * claimed. A change queues the push of a device again, so that an earlier state is never sent after a later one.
 */
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { readMatches } from '../../club/matches/around.ts'
import type { MatchRow } from '../../club/matches/matches.ts'
import { readSides } from '../../club/teams/teams.ts'
import { fallbacksOf } from '../../core/language-tags.ts'
import { asText, inLanguages } from '../../core/texts.ts'
import { readLocales } from '../../identity/users/locales.ts'
import type { PushContent } from './enqueue.ts'
import { lockService } from './services.ts'

type DeviceRow = Tables['devices']['$inferSelect']
type DeliveryRow = Tables['pushDeliveries']['$inferSelect']

export const LIVE_ACTIVITY = 'live_activity'
/** Apart from messages: a goal does not wait for a campaign. */
export const LIVE_SERVICE = 'apns:live'

export interface Activity {
  event: 'start' | 'update' | 'end'
  /** When the match got this state: a device ignores one that is older than what it shows. */
  changedAt: string
  state: {
    status: string
    homeScore: number | null
    awayScore: number | null
    /** Minutes since kick-off, with the break. Null unless it is live. */
    minute: number | null
    kickoffAt: string
  }
  attributes: { matchId: string; homeTeam: string; awayTeam: string }
  /** From then on the device says that the state is old. Null at the end. */
  staleAt: string | null
  /** When the device removes it. Null before the end. */
  dismissAt: string | null
}

const STALE_MS = 2 * 3_600_000
const DISMISS_MS = 3_600_000
const MINUTE_MS = 60_000
const STEP = 1_000

const PREFIX = 'activity '
const matchIdOf = ({ messageId }: Pick<DeliveryRow, 'messageId'>) => messageId.slice(PREFIX.length)

/** Before `queueActivities` of devices that may have attempts: a turn, which stores results, comes before or after. */
export async function lockLiveService(tx: Transaction): Promise<void> {
  await insertRows(tx, tx.tables.pushServices, [{ name: LIVE_SERVICE }], 'skip')
  await lockService(tx, LIVE_SERVICE)
}

/** Queues the newest state for these devices. `again`: also if it waits, is being sent or was sent. The fans are locked. */
export async function queueActivities(
  tx: Transaction,
  match: Pick<MatchRow, 'id' | 'updatedAt' | 'revision'>,
  devices: Pick<DeviceRow, 'userId' | 'deviceId'>[],
  { again }: { again: boolean },
): Promise<void> {
  if (devices.length === 0) return
  const now = tx.now()
  const rows = devices.map(({ userId, deviceId }) => ({
    userId,
    deviceId,
    messageId: `${PREFIX}${match.id}`,
    // Grows with each change of the match.
    position: match.updatedAt.getTime() * STEP + (match.revision % STEP),
    service: LIVE_SERVICE,
    bulk: false,
    category: 'match',
    state: 'pending',
    attempts: 0,
    createdAt: now,
    dueAt: now,
  }))
  await insertRows(tx, tx.tables.pushDeliveries, rows, again ? { set: [...QUEUED_AGAIN] } : 'skip')
  tx.spine.push.queued.announce(tx, [{ service: LIVE_SERVICE, bulk: false }])
}

/** Without the lease: the result of an attempt that runs is stored, and another one follows. */
const QUEUED_AGAIN = ['position', 'state', 'reason', 'attempts', 'endedAt', 'status', 'dueAt'] as const

/** What these pushes say now, by device. Devices of matches that are over, and that show nothing yet, are left out. */
export async function readActivities(
  tx: Transaction,
  rows: DeliveryRow[],
  deviceOf: (row: DeliveryRow) => DeviceRow | undefined,
): Promise<(row: DeliveryRow) => (PushContent & { activity: Activity }) | undefined> {
  const own = rows.filter(row => deviceOf(row)?.kind === LIVE_ACTIVITY)
  if (own.length === 0) return () => undefined
  const locales = await readLocales(
    tx,
    own.map(({ userId }) => userId),
  )
  const shown = await readShown(tx, [...new Set(own.map(matchIdOf))])
  return row => {
    const device = deviceOf(row)
    const match = shown.get(matchIdOf(row))
    if (!device || !match) return undefined
    const isOver = !match.active || ENDED.has(match.status)
    const starts = device.matchId === null
    if (starts && match.status !== 'live') return undefined
    return contentOf(match, starts ? 'start' : isOver ? 'end' : 'update', tx.now(), locales.get(row.userId))
  }
}

const ENDED: ReadonlySet<string> = new Set(['finished', 'postponed', 'cancelled'])

type Shown = MatchRow & { home: string; away: string }

async function readShown(reader: Reader, ids: string[]): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>()
  for (const row of (await readMatches(reader, ids)).values()) {
    const [home, away] = await readSides(reader, [row.homeTeamId, row.awayTeamId])
    shown.set(row.id, { ...row, home: home.name, away: away.name })
  }
  return shown
}

const BEGUN = { en: 'The match has begun.', pt: 'A partida começou.', ar: 'بدأت المباراة.' }

function contentOf(match: Shown, event: Activity['event'], now: Date, locale: string | null | undefined) {
  const { id, status, homeScore, awayScore, kickoffAt, updatedAt } = match
  const elapsed = Math.floor((now.getTime() - kickoffAt.getTime()) / MINUTE_MS)
  const inMs = (from: Date, ms: number) => new Date(from.getTime() + ms).toISOString()
  const content: PushContent & { activity: Activity } = {
    title: '',
    body: event === 'start' ? asText(BEGUN) : '',
    url: `/matches/${encodeURIComponent(id)}`,
    imageUrl: null,
    activity: {
      event,
      changedAt: updatedAt.toISOString(),
      state: {
        status,
        homeScore,
        awayScore,
        minute: status === 'live' ? Math.max(0, elapsed) : null,
        kickoffAt: kickoffAt.toISOString(),
      },
      attributes: { matchId: id, homeTeam: match.home, awayTeam: match.away },
      staleAt: event === 'end' ? null : inMs(kickoffAt > now ? kickoffAt : now, STALE_MS),
      dismissAt: event === 'end' ? inMs(now, DISMISS_MS) : null,
    },
  }
  const rendered = inLanguages(content, fallbacksOf(locale ?? ''))
  const { homeTeam, awayTeam } = rendered.activity.attributes
  return { ...rendered, title: `${homeTeam} – ${awayTeam}` }
}
