/** Recomputes a fan's account, enrolment and scores from their entries one by one. */
import { differs, type Finding, isInstant } from '../../core/finding.ts'
import { type Board, boardNamed, takesPart } from '../leaderboard/boards.ts'
import { type EnrolmentRow, hashEnrolment } from '../leaderboard/enrolment.ts'
import type { BoardScore } from '../leaderboard/rank-index/rank-index.ts'
import { type ChainedEntry, findChainFlaw } from '../ledgers/chain.ts'
import {
  carriedBy,
  type Earning,
  earnedBy,
  grantReasonOf,
  isGrantReason,
  type PointsReason,
  remainingOf,
} from '../ledgers/reasons.ts'
import { type Account, NEW_ACCOUNT } from './account.ts'
import { endOfExpiredDay } from './expiry.ts'
import { EMPTY_STATE, readState, type Seam } from './seams.ts'

/** A fan as stored, without the entries. */
export interface StoredFan {
  known: boolean
  account: Account | undefined
  enrolment: EnrolmentRow | undefined
  scores: BoardScore[]
  /** The boards of the team and the country of the fan. */
  groups: string[]
  /** Up to when their scores were copied for all fans. */
  copiedUntil?: Date | undefined
  /** Of a fan with an archived past. */
  seam?: Seam | undefined
}

export interface Verdict {
  findings: Finding[]
  /** The entries or the enrolment contradict themselves, so nothing can be derived from them. */
  broken: boolean
  account: Omit<Account, 'userId'>
  scores: BoardScore[]
}

/**
 * `add` takes a fan's entries in the order of `seq`; `conclude` compares. Keeps sums, and the grants that can be taken back. Starts from the
 * seam of a fan with an archived past: what is archived is compared by `verify-ledger --archive`.
 */
export function createAudit(userId: string, seam?: Seam) {
  const state = readState(seam?.state)
  const archived = state ?? EMPTY_STATE
  const account = accountAt(seam)
  const earned = new Map(archived.scores.flatMap(score => earnedScoreOf(score)))
  /** By reason and `ref`. */
  const granted = new Map<string, Earning>()
  /** What the fan has earned, in the order of the entries. */
  const earnings = archived.lots.map(([day, points]) => ({ points, at: new Date(day) }))
  /** Entries before the seam that are not archived. */
  let kept = 0
  /** Whether a merge has carried points over to the fan. */
  let carries = false
  let flaw: Finding | undefined

  /** The error of an entry. Entries after the first wrong one are not checked. */
  function flawOf(entry: ChainedEntry): Finding | undefined {
    const found = (column: string, expected: Finding['expected'], actual: Finding['actual']) => {
      return { userId, what: `points_entries.${column}`, seq: account.seq + 1, expected, actual }
    }
    const broken = findChainFlaw(account, entry)
    if (broken && broken.what !== 'hash') return { userId, ...broken, what: `points_entries.${broken.what}` }
    const grantReason = grantReasonOf(entry.reason)
    if (grantReason) {
      const grant = granted.get(`${grantReason} ${entry.ref}`)
      if (!grant) return found('ref', `the ref of an earlier entry with the reason ${grantReason}`, entry.ref)
      if (entry.delta > 0 || -entry.delta > grant.points) return found('delta', -grant.points, entry.delta)
    }
    if (entry.reason === 'expired') {
      const end = endOfExpiredDay(entry.ref)
      if (!end || end >= entry.createdAt) return found('ref', 'an earlier day', entry.ref)
      const kept = earnings.reduce((sum, { points, at }) => (at >= end ? sum + points : sum), 0)
      const ended = Math.max(account.balance - kept, 0)
      // `findWrongMergedExpiry` knows the age of carried points.
      if (!carries && entry.delta !== -ended) return found('delta', -ended, entry.delta)
    }
    return broken && { userId, ...broken, what: `points_entries.${broken.what}` }
  }

  function add(entry: ChainedEntry) {
    const isKept = seam !== undefined && entry.seq <= seam.seq
    if (isKept) kept++
    else flaw ??= flawOf(entry)
    if (flaw) return
    const { delta, ref, createdAt: at } = entry
    // Guarantee: an unknown reason counts as earned.
    const reason = entry.reason as PointsReason
    const gained = earnedBy({ delta, reason })
    if (delta > 0) earnings.push({ points: delta, at })
    carries ||= carriedBy(entry) !== null
    if (!isKept)
      Object.assign(account, {
        balance: entry.balanceAfter,
        lifetime: account.lifetime + gained,
        seq: entry.seq,
        headHash: entry.hash,
        updatedAt: at,
      })
    const grant = granted.get(`${grantReasonOf(reason)} ${ref}`)
    if (grant) grant.taken = { points: -delta, at }
    if (gained <= 0) return
    const earning = { points: gained, reason, ref, at, taken: null }
    if (isGrantReason(reason)) granted.set(`${reason} ${ref}`, earning)
    else addEarning(earned, earning)
  }

  function scoresOf({ enrolledAt }: EnrolmentRow): BoardScore[] {
    const all = new Map(earned)
    for (const grant of granted.values()) addEarning(all, grant)
    const scores = [...all.values()]
      .filter(({ board }) => takesPart(enrolledAt, board))
      .map(({ board, points, reachedAt }) => ({ board: board.id, points, reachedAt }))
    // Every fan has a score on the global board.
    return all.has('all') ? scores : [...scores, { board: 'all', points: 0, reachedAt: enrolledAt.getTime() }]
  }

  function conclude(stored: StoredFan): Verdict {
    const { known, enrolment } = stored
    const unknown = known ? [] : [missing(userId, 'users')]
    if (flaw) return { findings: [...unknown, flaw], broken: true, account, scores: [] }
    const enrolmentFindings = enrolment ? checkEnrolment(enrolment) : []
    // Null: the enrolment is older than the hash column, and its time cannot be verified.
    const broken = enrolmentFindings.length > 0 && enrolment?.hash !== null
    // A fan who left has no scores.
    const scores = enrolment?.leftAt === null && !broken ? scoresOf(enrolment) : []
    if (!broken) scores.push(...copiesOf(scores, stored.groups))
    const wrong = broken ? [] : compareScores(userId, ...comparable(scores, stored))
    const seams = seam
      ? [
          ...differs(userId, 'archive_seams.state', 'readable', state ? 'readable' : seam.state),
          ...differs(userId, 'archive_seams.kept_entries', kept, seam.keptEntries),
        ]
      : []
    const findings = [
      ...unknown,
      ...seams,
      ...compareAccount(userId, account, stored),
      ...enrolmentFindings,
      ...wrong,
    ]
    return { findings, broken, account, scores }
  }

  return { add, conclude, head: () => ({ seq: account.seq, headHash: account.headHash }) }
}

/** Newer entries state when the account was updated: the newest one is never archived. */
const accountAt = (seam: Seam | undefined) => {
  if (!seam) return { ...NEW_ACCOUNT }
  const { balance, lifetime, seq, hash: headHash } = seam
  return { ...NEW_ACCOUNT, balance, lifetime, seq, headHash }
}

/** Nothing for a board that does not exist: its score is then reported. */
function earnedScoreOf({ board: id, points, reachedAt }: BoardScore): [string, EarnedScore][] {
  const board = boardNamed(id)
  return board ? [[id, { board, points, reachedAt }]] : []
}

interface EarnedScore {
  board: Board
  points: number
  reachedAt: number
}

function addEarning(scores: Map<string, EarnedScore>, earning: Earning): void {
  for (const { board, points } of remainingOf(earning)) {
    const before = scores.get(board.id) ?? { points: 0, reachedAt: 0 }
    const reachedAt = Math.max(before.reachedAt, earning.at.getTime())
    scores.set(board.id, { board, points: before.points + points, reachedAt })
  }
}

/** The scores on the boards of groups, as copies of the score on the global board. */
const copiesOf = (scores: BoardScore[], groups: string[]): BoardScore[] =>
  scores.flatMap(score => (score.board === 'all' ? groups.map(board => ({ ...score, board })) : []))

/** Expected and stored scores: without copies that may still be older than the score on the global board. */
function comparable(
  scores: BoardScore[],
  { account, enrolment, groups, copiedUntil, scores: stored }: StoredFan,
) {
  const isBefore = (at: Date | undefined) => at !== undefined && copiedUntil !== undefined && at < copiedUntil
  if (scores.length === 0 || (isBefore(account?.updatedAt) && isBefore(enrolment?.enrolledAt)))
    return [scores, stored] as const
  const isKnown = ({ board }: BoardScore) => !groups.includes(board)
  return [scores.filter(isKnown), stored.filter(isKnown)] as const
}

const missing = (userId: string, table: string): Finding => {
  return { userId, what: `${table}.row`, expected: userId, actual: null }
}

function compareAccount(
  userId: string,
  expected: Verdict['account'],
  { account, enrolment }: StoredFan,
): Finding[] {
  // Enrolling also creates an account, whose row is the lock for the fan's writes.
  if (!account) return expected.seq > 0 || enrolment ? [missing(userId, 'points_accounts')] : []
  const columns = [
    ['balance', 'balance'],
    ['lifetime', 'lifetime'],
    ['seq', 'seq'],
    ['headHash', 'head_hash'],
    ['updatedAt', 'updated_at'],
  ] as const
  return columns.flatMap(([name, column]) =>
    differs(userId, `points_accounts.${column}`, expected[name], account[name]),
  )
}

function checkEnrolment(enrolment: EnrolmentRow): Finding[] {
  const { userId, enrolledAt, hash } = enrolment
  if (!isInstant(enrolledAt)) {
    const what = 'leaderboard_entries.enrolled_at'
    return [{ userId, what, expected: 'an instant', actual: String(enrolledAt) }]
  }
  const expected = hashEnrolment(enrolment)
  return hash === expected ? [] : [{ userId, what: 'leaderboard_entries.hash', expected, actual: hash }]
}

function compareScores(userId: string, expected: BoardScore[], stored: BoardScore[]): Finding[] {
  const is = new Map(stored.map(score => [score.board, score]))
  const must = new Map(expected.map(score => [score.board, score]))
  return [...new Set([...must.keys(), ...is.keys()])].flatMap(board => {
    const [due, kept] = [must.get(board), is.get(board)]
    const found = (column: string, of: (score: BoardScore) => number): Finding[] => {
      const [wanted, actual] = [due ? of(due) : null, kept ? of(kept) : null]
      const what = `leaderboard_scores.${column}`
      return wanted === actual ? [] : [{ userId, what, board, expected: wanted, actual }]
    }
    if (!due || !kept) return found('row', ({ points }) => points)
    return [
      ...found('minus_points', ({ points }) => (points === 0 ? 0 : -points)),
      ...found('reached_at', ({ reachedAt }) => reachedAt),
    ]
  })
}
