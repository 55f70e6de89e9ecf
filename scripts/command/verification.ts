/** What the commands share that verify something: they can be stopped, list findings up to `--max`, and count all. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Database } from '../../db/index.ts'
import {
  type Coverage,
  listMissingParts,
  type Part,
  planCoverage,
} from '../../src/audit/coverage/coverage.ts'
import { recordCoverage } from '../../src/audit/coverage/record-coverage.ts'
import type { MaintenanceCommand } from '../../src/platform/jobs/maintenance.ts'
import type { CommandResult, Session, StandardOptions } from './command.ts'
import { databaseUrlOf } from './database.ts'
import { failUsage } from './explain.ts'
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
  /** Of a verification that can read a part of the fans. */
  coverage?: Coverage
}

/** The options of a verification that can read a part of the fans. */
export const COVERAGE_OPTIONS = {
  sinceLast: ['--since-last', 'only fans who have changed since everything was verified without findings'],
  part: ['--part <k/n>', 'only a part of the fans, such as 3/7; the last part also checks the rest'],
} as const

const MAX_PARTS = 1000

export function partOf(text: string): Part {
  const [, part = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number)
  if (part >= 1 && part <= of && of <= MAX_PARTS) return { part, of }
  throw new InvalidArgumentError(
    `It must be a part and the number of parts, up to ${MAX_PARTS}, such as 3/7.`,
  )
}

type CoverageOptions = StandardOptions & { sinceLast?: true | undefined; part?: Part | undefined }

export async function chooseCoverage(
  {
    options: { sinceLast, part, fromReplica },
    note,
  }: Pick<Session<unknown[], CoverageOptions>, 'options' | 'note'>,
  db: Database,
  command: Coverage['command'],
): Promise<Coverage> {
  if (sinceLast && part) failUsage('--since-last and --part are mutually exclusive')
  // A replica that is behind lacks changes from before the start of the run.
  if (fromReplica && (sinceLast || part)) failUsage('--since-last and --part need the primary server')
  const coverage = await planCoverage(db.read, command, { sinceLast, part })
  if (sinceLast && coverage.kind === 'full')
    note(
      'No complete run without findings is recorded, a later run has found something, or rows were archived or restored since: this run verifies everything.',
    )
  return coverage
}

/** What a run did not verify. */
const LEFT_OUT = {
  full: [],
  part: [],
  changes: ['Verified: fans with changes since the last complete run. Only a full run verifies the others.'],
}

const describeParts = (of: number, missing: number[]) =>
  missing.length === 0
    ? `With it, all ${of} parts are verified.`
    : `Of ${of} parts, these are not verified yet: ${missing.join(', ')}.`

type VerifyingSession = Pick<
  Session<unknown[], StandardOptions & { max: number }>,
  'options' | 'databaseUrl' | 'note' | 'progress'
>

export async function runVerification<Finding, Report extends { findings: number }>(
  { options, databaseUrl, note, progress }: VerifyingSession,
  { command, noun, verify, describe, scopeOf, proofOf, coverage }: Verification<Finding, Report>,
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
  const kind = coverage?.kind ?? 'full'
  const json = { ...verified, ...(coverage ? { coverage: kind } : {}), found: verified.findings, findings }
  // A replica takes no writes.
  const primary = options.fromReplica ? databaseUrlOf(undefined) : databaseUrl()
  const isClean = verified.findings === 0
  let parts: string[] = []
  if (coverage && !options.fromReplica)
    await recordMaintenance(primary, command, note, async tx => {
      const isComplete = await recordCoverage(tx, coverage, verified.findings)
      const missing = await listMissingParts(tx, coverage)
      if (coverage.part) parts = [describeParts(coverage.part.of, missing)]
      return isComplete
    })
  else if (isClean) await recordMaintenance(primary, command, note)
  if (isClean) {
    const proof = proofOf && kind === 'full' ? [proofOf(verified)] : []
    const text = [`No findings in ${scopeOf(verified)}.`, ...LEFT_OUT[kind], ...parts, ...proof].join('\n')
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
