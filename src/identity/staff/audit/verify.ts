/** Recomputes the hash chain of the audit log, to find rows that were changed, removed or added by hand. */
import { and, eq, lte } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { eachPage } from '../../../../db/keyset.ts'
import { FIRST_PREVIOUS_HASH, hashAuditRow } from './hash.ts'

/** A row of the log in an earlier verification or export. Somebody who rewrites the log from a row on cannot change it. */
export interface Anchor {
  seq: number
  hash: string
}

interface AuditFinding {
  /** Number of the row. */
  seq: number
  /** `anchored`: the chain is intact, but the row has another hash than the anchor. */
  fault: 'missing' | 'changed' | 'anchored'
}

export interface AuditVerification {
  rows: number
  /** The newest row. Store it elsewhere, and pass it as the anchor of a later verification. Null without rows. */
  head: Anchor | null
  findings: AuditFinding[]
}

/** More findings would not help to find the cause. */
const MAX_FINDINGS = 100

/** Ignores rows that are added meanwhile. */
export async function verifyAudit(reader: Reader, anchor?: Anchor): Promise<AuditVerification> {
  const { consoleAudit, consoleAuditHead } = reader.tables
  const [stored] = await reader.select().from(consoleAuditHead).where(eq(consoleAuditHead.id, 'audit'))
  const newest = stored?.seq ?? 0
  const findings: AuditFinding[] = []
  const report = (finding: AuditFinding) => {
    if (findings.length < MAX_FINDINGS) findings.push(finding)
  }
  let [seq, hash, rows] = [0, FIRST_PREVIOUS_HASH, 0]
  // Each recorded action moves the head. Without a head, all rows were added by hand.
  const isRecorded = stored && lte(consoleAudit.seq, newest)
  const pages = eachPage({ seq: consoleAudit.seq }, after =>
    reader.select().from(consoleAudit).where(and(after, isRecorded)),
  )
  for await (const page of pages) {
    for (const row of page) {
      rows++
      for (seq++; seq < row.seq && findings.length < MAX_FINDINGS; seq++) report({ seq, fault: 'missing' })
      seq = row.seq
      if (hashAuditRow(hash, row) !== row.hash) report({ seq, fault: 'changed' })
      if (anchor?.seq === seq && anchor.hash !== row.hash) report({ seq, fault: 'anchored' })
      hash = row.hash
    }
  }
  // The newest rows were removed.
  for (seq++; seq <= Math.max(newest, anchor?.seq ?? 0) && findings.length < MAX_FINDINGS; seq++)
    report({ seq, fault: 'missing' })
  if (findings.length === 0 && (stored?.hash ?? FIRST_PREVIOUS_HASH) !== hash)
    report({ seq: Math.max(newest, rows), fault: 'changed' })
  return { rows, head: stored ? { seq: newest, hash } : null, findings }
}
