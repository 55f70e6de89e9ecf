/** The rows that an event with a grant writes, for the raw references: computed as in Matchday, but without a database. */
import { digestOf } from '../../../src/economy/events/digest.ts'
import { boardsAt } from '../../../src/economy/leaderboard/boards.ts'
import { type BoardScore, countMembers } from '../../../src/economy/leaderboard/rank-index/rank-index.ts'
import { raiseScore } from '../../../src/economy/leaderboard/scores.ts'
import type { Account } from '../../../src/economy/points/account.ts'
import { nextEntry } from '../../../src/economy/points/ledger.ts'
import { writeDecisions } from '../../../src/economy/rules/decision.ts'
import { GRANTED, ruleOf, SOURCE } from '../event-rules.ts'

export interface ReportedEvent {
  id: string
  type: string
  fan: { provider: string; subject: string }
  occurredAt: string
  data: object
}

export const readEvents = async (request: Request) =>
  ((await request.json()) as { events: ReportedEvent[] }).events

/** An event into which its entry is folded. */
export const INSERT_EVENT = `
  INSERT INTO events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, revision, data, digest, decisions,
    entry_count, first_entry_seq, lifetime_after)
  VALUES ($1, $2, $3, coalesce((SELECT sequence + coalesce(entry_count, 0) FROM events WHERE user_id = $3 ORDER BY sequence DESC LIMIT 1), 0) + 1,
    $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT DO NOTHING RETURNING sequence`

/** The boards of an event, by the time of its recording. */
export const boardIdsAt = (at: Date) => boardsAt(at).map(({ id }) => id)

/** The fan of an event as stored, and the versions of the rules by id, which do not change while the bench runs. */
interface Stored {
  account: Account
  scores: BoardScore[]
  versions: Map<string, number>
}

/** `sequence` is left to the statement. */
export function rowsOf(event: ReportedEvent, { account, scores, versions }: Stored, at: Date) {
  const rule = ruleOf(event.type)
  const change = {
    userId: account.userId,
    delta: GRANTED,
    reason: 'rule' as const,
    ref: `${rule}:${SOURCE}:${event.id}`,
  }
  const { entry, head } = nextEntry(account, change, { id: Bun.randomUUIDv7(), at })
  const raised = boardIdsAt(at).map(board =>
    raiseScore(
      board,
      scores.find(score => score.board === board),
      { gained: GRANTED, at },
    ),
  )
  const data = JSON.stringify(event.data)
  const version = versions.get(rule) ?? 0
  const decision = { ruleId: rule, version, points: GRANTED, window: null, budgeted: false }
  return {
    data,
    revision: Math.max(0, ...versions.values()),
    digest: digestOf({ ...event, occurredAt: new Date(event.occurredAt) }, 'short'),
    decisions: writeDecisions([{ ...decision, outcome: 'granted' }], 'short'),
    entry,
    head,
    /** `entry_count`, `first_entry_seq` and `lifetime_after`. */
    folded: [1, entry.seq, head.lifetime],
    scores: raised,
    ...bucketsOf(scores, raised),
  }
}

/** The buckets that change, in the lock order of all writers, and the buckets that lose the fan. */
function bucketsOf(before: BoardScore[], after: BoardScore[]) {
  const nameOf = ({ board, level, points, reachedAt }: ReturnType<typeof countMembers>[number]) =>
    `${board} ${level} ${points} ${reachedAt}`
  const [left, entered] = [countMembers(before), countMembers(after)]
  const stay = new Set(left.map(nameOf)).intersection(new Set(entered.map(nameOf)))
  const fewer = left.filter(bucket => !stay.has(nameOf(bucket)))
  const more = entered.filter(bucket => !stay.has(nameOf(bucket)))
  const changed = [...fewer.map(bucket => ({ ...bucket, fans: 0 })), ...more].toSorted(
    (a, b) =>
      (a.board < b.board ? -1 : a.board > b.board ? 1 : 0) ||
      a.level - b.level ||
      a.points - b.points ||
      a.reachedAt - b.reachedAt,
  )
  return { changed, fewer }
}
