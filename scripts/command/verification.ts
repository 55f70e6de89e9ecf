/** What the commands share that verify something: they can be stopped, list findings up to `--max`, and count all. */
import type { MaintenanceCommand } from '../../src/operate/admin/maintenance.ts'
import type { CommandResult, Session, StandardOptions } from './command.ts'
import { databaseUrlOf } from './database.ts'
import { recordMaintenance } from './record-maintenance.ts'
import { Interrupted, stoppable } from './stop.ts'

interface Verification<Finding, Report extends { findings: number }> {
  command: MaintenanceCommand
  /** What its progress counts. */
  noun: string
  verify(observer: {
    onFinding(finding: Finding): void
    onProgress(done: number, total?: number): void
  }): Promise<Report>
  describe(finding: Finding): string
  /** What was verified, in words. */
  scopeOf(report: Report): string
  /** A last line, if there are no findings. */
  proofOf?(report: Report): string
}

type VerifyingSession = Pick<
  Session<unknown[], StandardOptions & { max: number }>,
  'options' | 'databaseUrl' | 'note' | 'progress'
>

export async function runVerification<Finding, Report extends { findings: number }>(
  { options, databaseUrl, note, progress }: VerifyingSession,
  { command, noun, verify, describe, scopeOf, proofOf }: Verification<Finding, Report>,
): Promise<CommandResult> {
  const findings: Finding[] = []
  const report = progress(noun)
  const verified = await stoppable(requested =>
    verify({
      onProgress(done, total) {
        report(done, total)
        const signal = requested()
        if (signal) throw new Interrupted(signal, done)
      },
      onFinding: finding => void (findings.length < options.max && findings.push(finding)),
    }),
  ).finally(() => report.end())
  const json = { ...verified, found: verified.findings, findings }
  if (verified.findings === 0) {
    // A replica takes no writes.
    const primary = options.fromReplica ? databaseUrlOf(undefined) : databaseUrl()
    await recordMaintenance(primary, command, note)
    const text = [`No findings in ${scopeOf(verified)}.`, ...(proofOf ? [proofOf(verified)] : [])].join('\n')
    return { json, text, found: false }
  }
  const unlisted = verified.findings - findings.length
  const text = [
    ...findings.map(describe),
    ...(unlisted > 0 ? [`… and ${unlisted} more (--max)`] : []),
    `${verified.findings} findings in ${scopeOf(verified)}.`,
  ].join('\n')
  return { json, text, found: true }
}
