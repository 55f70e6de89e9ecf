/** Measures on SQLite, and on PostgreSQL if `BENCH_POSTGRES_URL` is set. */
import type { Engine } from '../databases.ts'
import { type Contender, compare } from '../rounds.ts'
import { type Bench, enginesOf, mergeOutcomes, type Outcome } from '../scenario.ts'

/** Compares the contenders of each engine. Their rows are labelled with the engine. */
export async function onEngines(
  bench: Bench,
  measure: (engine: Engine) => Promise<{ contenders: Contender[]; notes: string[]; invalid?: string }>,
): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const engine of enginesOf()) {
    const { contenders, notes, invalid } = await measure(engine)
    const labelled = contenders.map(contender => ({
      ...contender,
      label: `${engine}, ${contender.label ?? contender.subject.name}`,
    }))
    const outcome = await compare({ ...bench, options: { ...bench.options, engine } }, labelled)
    const stated = notes.map(note => `${engine}: ${note}`)
    outcomes.push({ rows: [], notes: stated, ...(invalid ? { invalid } : {}) }, outcome)
  }
  return { ...mergeOutcomes(outcomes), separateRows: true }
}
