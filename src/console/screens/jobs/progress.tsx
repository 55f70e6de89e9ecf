import { formatCount } from '../../parts/format.ts'
import { type RunData, titleOf } from './words.ts'

/** The progress of a run. */
export function RunProgress({ of: run }: { of: RunData }) {
  const { done, total, unit } = run
  return (
    <div class="run">
      <progress
        aria-label={`Progress: ${titleOf(run)}`}
        {...(total ? { value: Math.min(done, total), max: total } : {})}
      />
      <span class="quiet">
        {formatCount(done)}
        {total !== null && ` of about ${formatCount(total)}`} {unit}
      </span>
    </div>
  )
}
