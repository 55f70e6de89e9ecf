/** Previews of rules as text. */
import type { RulePreview } from '../../src/economy/events/preview-rules.ts'

const REFUSALS: Record<keyof RulePreview['refused'], string> = {
  unmet: 'did not meet a condition',
  no_points: 'were worth no points',
  segment: 'were of fans who are not in its segment',
  not_started: 'were before its start',
  ended: 'were after its end',
  limit: 'exceeded its limit',
  budget: 'did not fit into its budget',
}

export function describePreviews(previews: RulePreview[], days: number): string {
  const points = previews.reduce((sum, preview) => sum + preview.points, 0)
  const before = previews.reduce((sum, preview) => sum + preview.grantedBefore, 0)
  return [
    ...previews.flatMap(describePreview),
    `In ${days} days these rules would have granted ${points} points; rules of these ids granted ${before}.`,
  ].join('\n')
}

/** `shop-purchase: would have granted 1200 points for 80 of 100 events, to 34 fans` */
function describePreview({ ruleId, events, granted, points, fans, refused, grantedBefore }: RulePreview) {
  const head = `${ruleId}: would have granted ${points} points for ${granted} of ${events} events, to ${fans} ${fans === 1 ? 'fan' : 'fans'}`
  const reasons = Object.entries(REFUSALS).flatMap(([reason, words]) => {
    // Guarantee of the cast: the keys of REFUSALS.
    const count = refused[reason as keyof typeof REFUSALS]
    return count > 0 ? [`    ${count} ${words}`] : []
  })
  const difference = points === grantedBefore ? [] : [`    granted so far: ${grantedBefore} points`]
  return [head, ...reasons, ...difference]
}
