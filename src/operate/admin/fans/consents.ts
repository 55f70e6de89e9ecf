/** What a fan agrees to, for staff: now, and each change with who stated it and why. */
import { and, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../../db/index.ts'
import { isAgeBand } from '../../../core/age-bands.ts'
import { DomainError } from '../../../core/problems.ts'
import { exportConsents, readConsents, writeConsents } from '../../../fan/consents/consents.ts'
import { consentProblems } from '../../../fan/consents/problems.ts'
import { exportAgeChanges } from '../../../identity/users/age-history.ts'
import { lockToCount } from '../../../identity/users/locks.ts'
import { lockForStaff } from './corrections.ts'
import { requireFan } from './head.ts'

/** Source of what staff state. */
const STAFF = 'staff'
/** The operation of staff, whose row in the audit log has who and why. */
export const WITHDRAWAL = 'withdrawConsentOfFan'

export async function readFanConsents(reader: Reader, fanId: string) {
  await requireFan(reader, fanId)
  const { consents, age } = await readConsents(reader, { userId: fanId })
  const rows = await exportConsents(reader, fanId)
  const actions = rows.some(({ source }) => source === STAFF) ? await listWithdrawals(reader, fanId) : []
  const history = rows
    .toSorted((a, b) => b.changedAt.getTime() - a.changedAt.getTime() || b.seq - a.seq)
    .map(({ changedAt, ...row }) => {
      // The action and its rows are of one unit of work, which has one time.
      const by = actions.find(({ at }) => row.source === STAFF && at.getTime() === changedAt.getTime())
      return {
        ...row,
        changedAt: changedAt.toISOString(),
        by: by?.staffName ?? null,
        reason: by?.reason ?? null,
      }
    })
  return { consents, age, history, ageHistory: await readAgeHistory(reader, fanId) }
}

async function readAgeHistory(reader: Reader, fanId: string) {
  const rows = await exportAgeChanges(reader, fanId)
  return rows.toReversed().map(({ ageBand, assuredAt, changedAt, ...row }) => ({
    ...row,
    ageBand: isAgeBand(ageBand) ? ageBand : null,
    assuredAt: assuredAt.toISOString(),
    changedAt: changedAt.toISOString(),
  }))
}

function listWithdrawals(reader: Reader, fanId: string) {
  const { at, staffName, reason, subjectKind, subjectId, operation } = reader.tables.consoleAudit
  return reader
    .select({ at, staffName, reason })
    .from(reader.tables.consoleAudit)
    .where(and(eq(subjectKind, 'fan'), eq(subjectId, fanId), eq(operation, WITHDRAWAL)))
}

/** Records a withdrawal that the fan has sent. Staff never state that a fan agrees. */
export async function withdrawConsentOf(tx: Transaction, fanId: string, purpose: string) {
  const userId = await lockForStaff(tx, fanId)
  // Before what is stated is read: two withdrawals follow one another.
  await lockToCount(tx, userId)
  const { consents } = await readConsents(tx, { userId })
  const stated = consents.find(consent => consent.purpose === purpose)
  if (!stated) throw new DomainError(consentProblems.document_not_found, { purpose })
  const version = stated.grantedVersion ?? stated.version
  // Without a version nothing was ever granted.
  // never document_version_not_current, guardian_consent_required: a withdrawal is accepted with any version.
  if (version !== null) await writeConsents(tx, { userId }, { [purpose]: { granted: false, version } }, STAFF)
  return { withdrawn: stated.granted }
}
