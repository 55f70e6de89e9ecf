/** Recomputes the history of every transferred item, while the API runs. Takes no lock and writes nothing. */
import type { Database } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { findWrongItems } from '../../play/packs/audit-items.ts'
import { readRanges } from '../coverage/ranges.ts'
import type { VerifyOptions } from './verify-ledger.ts'

/** Counts the fans whose items were checked, and the findings. `verifyLedger` includes it. */
export async function verifyProvenance(
  { read }: Pick<Database, 'read'>,
  { onFinding, onProgress }: VerifyOptions = {},
): Promise<{ fans: number; findings: number }> {
  const report = { fans: 0, findings: 0 }
  const total = await countRows(read, read.tables.users)
  for await (const { range, userIds } of readRanges(read)) {
    const findings = await findWrongItems(read, range)
    for (const finding of findings) onFinding?.(finding)
    report.findings += findings.length
    report.fans += userIds.length
    await onProgress?.(report.fans, Math.max(total, report.fans))
  }
  return report
}
