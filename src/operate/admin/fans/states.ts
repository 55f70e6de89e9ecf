/** The states of a fan that the staff must see at first glance. */

export const FAN_STATES = ['erased', 'merged', 'deleted', 'suspended', 'hidden', 'muted'] as const
export type FanState = (typeof FAN_STATES)[number]

interface StateColumns {
  hiddenAt: Date | null
  silencedAt: Date | null
  suspendedUntil: Date | null
  erasedAt: Date | null
  mergedIntoId: string | null
  /** Time when the provider deleted the user. An erasure sets it too. */
  deletedAt: Date | null
}

/** An erased fan has no other state. */
export function statesOf(
  { hiddenAt, silencedAt, suspendedUntil, erasedAt, mergedIntoId, deletedAt }: StateColumns,
  now: Date,
): FanState[] {
  if (erasedAt) return ['erased']
  return [
    ...(mergedIntoId === null ? [] : (['merged'] as const)),
    ...(deletedAt ? (['deleted'] as const) : []),
    ...(suspendedUntil && suspendedUntil > now ? (['suspended'] as const) : []),
    ...(hiddenAt ? (['hidden'] as const) : []),
    ...(silencedAt ? (['muted'] as const) : []),
  ]
}
