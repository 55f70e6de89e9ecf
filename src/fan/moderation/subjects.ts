/** What fans can report: each kind of subject, with the function that finds one. A room that adds a kind adds it to `subjects`. */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { fanNotFound, lockOther, lockOtherById } from '../../identity/relations/find-fan.ts'
import { readShownProfile } from '../../identity/users/public-profile.ts'
import { leagueProblems } from '../../play/leagues/problems.ts'
import { findLeague } from '../../play/leagues/table.ts'
import { readShelves } from '../../play/lockers/lockers.ts'
import { lockerProblems } from '../../play/lockers/problems.ts'
import { tradeProblems } from '../../play/trades/problems.ts'
import { describeTrade, findParties } from '../../play/trades/trades.ts'
import { moderationProblems } from './problems.ts'

interface Subject {
  id: string
  /** The fan who owns the subject. The fan is locked, so that a decision about the case waits for the report. */
  fanId: string
  /**
   * What the subject showed, which is stored as JSON. It contains no data of the reporter, so erasing the
   * reporter does not change it.
   */
  evidence: Record<string, unknown>
}

type FindSubject = (tx: Transaction, reporterId: string, reference: string) => Promise<Subject>

type Found = Awaited<ReturnType<typeof lockOther>> | Awaited<ReturnType<typeof lockOtherById>>

/**
 * A fan can report someone they have blocked, but not someone who has blocked them: for the caller, that fan
 * does not exist.
 */
const canReport = (found: Found): found is NonNullable<Found> =>
  found !== null && !found.other.hiddenAt && !(found.relation?.blockedByAt && !found.relation.blockedAt)

async function findReportedFan(tx: Transaction, reporterId: string, handle: string): Promise<Subject> {
  const found = await lockOther(tx, reporterId, handle, moderationProblems.cannot_report_yourself)
  if (!canReport(found)) throw fanNotFound()
  const { id } = found.other
  return { id, fanId: id, evidence: await readShownProfile(tx, id) }
}

/** By the handle of its fan. A locker that the reporter may not see counts as missing. */
async function findReportedLocker(tx: Transaction, reporterId: string, handle: string): Promise<Subject> {
  const { id, fanId, evidence } = await findReportedFan(tx, reporterId, handle)
  const locker = await readShelves(tx, reporterId, fanId)
  if (!locker) throw new DomainError(lockerProblems.locker_not_found)
  return { id, fanId, evidence: { ...evidence, locker } }
}

/** By one of the two fans, about the other. The same statements run for a trade of others and for one that nobody has. */
async function findReportedTrade(tx: Transaction, reporterId: string, tradeId: string): Promise<Subject> {
  const parties = await findParties(tx, reporterId, tradeId)
  const found = await lockOtherById(tx, reporterId, parties?.otherId ?? '')
  if (!parties || !canReport(found)) throw new DomainError(tradeProblems.trade_not_found)
  const { row, otherId } = parties
  const trade = { ...(await describeTrade(tx, row)), madeBy: row.fromId === otherId ? 'fan' : 'reporter' }
  return { id: row.id, fanId: otherId, evidence: { ...(await readShownProfile(tx, otherId)), trade } }
}

/** By a member, about the owner, who wrote the name. A league of others counts as missing. */
async function findReportedLeague(tx: Transaction, reporterId: string, leagueId: string): Promise<Subject> {
  const league = await findLeague(tx, reporterId, leagueId)
  if (league?.ownerId === reporterId) throw new DomainError(moderationProblems.cannot_report_yourself)
  const found = await lockOtherById(tx, reporterId, league?.ownerId ?? '')
  if (!league || !canReport(found)) throw new DomainError(leagueProblems.league_not_found)
  const { id, name, ownerId: fanId } = league
  return { id, fanId, evidence: { ...(await readShownProfile(tx, fanId)), league: { name } } }
}

export const subjects = {
  fan: findReportedFan,
  locker: findReportedLocker,
  trade: findReportedTrade,
  league: findReportedLeague,
} as const satisfies Record<string, FindSubject>

export type SubjectKind = keyof typeof subjects

// Guarantee of the cast: these are the keys of the object, of which there is one or more.
export const SUBJECT_KINDS = Object.keys(subjects) as [SubjectKind, ...SubjectKind[]]
