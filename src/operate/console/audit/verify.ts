/** Recomputes the hash chain of the audit log: a row that was changed, removed or added by hand is found. */
import { and, eq, lte } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { eachPage } from '../../../../db/keyset.ts'
import { FIRST_PREVIOUS_HASH, hashAuditRow } from './hash.ts'

/** What a former verification or export said of the log: who changes all rows after one cannot change that. */
export interface Anchor {
  seq: number
  hash: string
}

interface AuditFinding {
  /** Of the row. */
  seq: number
  /** `anchored`: it is intact and has another hash than the anchor. */
  fault: 'missing' | 'changed' | 'anchored'
}

export interface AuditVerification {
  rows: number
  /** The newest row: keep it elsewhere, and pass it as the anchor of a later verification. Null without rows. */
  head: Anchor | null
  findings: AuditFinding[]
}

/** More are of no help to whoever looks for the cause. */
const MAX_FINDINGS = 100

/** Rows that are recorded meanwhile are left out. */
export async function verifyAudit(reader: Reader, anchor?: Anchor): Promise<AuditVerification> {
  const { consoleAudit, consoleAuditHead } = reader.tables
  const [stored] = await reader.select().from(consoleAuditHead).where(eq(consoleAuditHead.id, 'audit'))
  const newest = stored?.seq ?? 0
  const findings: AuditFinding[] = []
  const report = (finding: AuditFinding) => {
    if (findings.length < MAX_FINDINGS) findings.push(finding)
  }
  let [seq, hash, rows] = [0, FIRST_PREVIOUS_HASH, 0]
  // Without a head, every row was added by hand.
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
