/** The record of the runs of verifications without findings, which connects them. */
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { COMMANDS, type Coverage, type Parts, partsOf } from './coverage.ts'

/** The past of a fan was archived or restored: its rows are as old as before, so that only a full run is sure to read them. */
export async function notePastChange(tx: Transaction): Promise<void> {
  const { verificationCoverage: coverage } = tx.tables
  const { pastChangedAt } = coverage
  const at = tx.now()
  // Also without any run before: the first one may have begun.
  await tx
    .insert(coverage)
    .values(COMMANDS.map(command => ({ command, pastChangedAt: at })))
    .onConflictDoUpdate({
      target: coverage.command,
      set: { pastChangedAt: at },
      // Once in each unit of work.
      setWhere: or(isNull(pastChangedAt), lt(pastChangedAt, at)),
    })
}

/** Records the end of a run. Returns whether everything is verified by now, in this run or in the parts of one. */
export async function recordCoverage(tx: Transaction, run: Coverage, findings: number): Promise<boolean> {
  const { verificationCoverage: coverage } = tx.tables
  const { command, kind, startedAt, part, since } = run
  const isOfCommand = eq(coverage.command, command)
  const change = (values: { verifiedAt?: Date | null; parts?: string | null }, condition = isOfCommand) =>
    tx.update(coverage).set(values).where(and(isOfCommand, condition))
  if (kind === 'changes') {
    // Not if a full run has found something meanwhile.
    if (findings === 0 && since) await change({ verifiedAt: startedAt }, eq(coverage.verifiedAt, since))
    return false
  }
  if (findings === 0) await tx.insert(coverage).values({ command }).onConflictDoNothing()
  const [stored] = await locksForUpdate(tx, tx.select().from(coverage).where(isOfCommand))
  if (!part) {
    await change({ verifiedAt: findings === 0 ? startedAt : null, parts: null })
    return findings === 0
  }
  const known = partsOf(stored?.parts)
  const started = known?.bounds.join() === part.bounds.join() ? known.startedAt : {}
  const { [part.part]: _, ...others } = started
  const startedAts = findings === 0 ? { ...others, [part.part]: startedAt.toISOString() } : others
  const parts = JSON.stringify({ bounds: part.bounds, startedAt: startedAts } satisfies Parts)
  const times = Object.values(startedAts).toSorted()
  const isComplete = times.length === part.of
  if (!isComplete) await change({ parts, ...(findings === 0 ? {} : { verifiedAt: null }) })
  else {
    const first = new Date(times[0] ?? startedAt)
    const before = stored?.verifiedAt
    await change({ verifiedAt: before && before > first && before <= tx.now() ? before : first, parts: null })
  }
  return isComplete
}
