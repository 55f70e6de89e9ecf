/** What fans can report: each kind of subject, with the function that finds one. A room that adds a kind adds it to `subjects`. */
import type { Transaction } from '../../../db/index.ts'
import { fanNotFound, lockOther } from '../../identity/relations/find-fan.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { readShownProfile } from '../../identity/users/public-profile.ts'
import { moderationProblems } from './problems.ts'

interface Subject {
  id: string
  /** Whose it is. Their record is locked, so that a decision about the case waits for the report. */
  fanId: string
  /** What it showed, which becomes JSON. */
  evidence: Record<string, unknown>
}

type FindSubject = (tx: Transaction, reporterId: string, reference: string) => Promise<Subject>

/** Fans can report one whom they have blocked; to the other side of a block, the fan does not exist. */
async function findReportedFan(tx: Transaction, reporterId: string, handle: string): Promise<Subject> {
  const found = await lockOther(tx, reporterId, handle, moderationProblems.cannot_report_yourself)
  const isBlocked = found?.relation?.blockedByAt && !found.relation.blockedAt
  if (!found || found.other.hiddenAt || isBlocked) throw fanNotFound()
  const { id } = found.other
  return { id, fanId: id, evidence: await readShownProfile(tx, id) }
}

export const subjects = { fan: findReportedFan } as const satisfies Record<string, FindSubject>

export type SubjectKind = keyof typeof subjects

// Guarantee of the cast: these are the keys of the object, of which there is one or more.
export const SUBJECT_KINDS = Object.keys(subjects) as [SubjectKind, ...SubjectKind[]]

export const subjectProblems = [
  userProblems.fan_not_found,
  moderationProblems.cannot_report_yourself,
] as const
