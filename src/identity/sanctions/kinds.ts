/** What moderators decide. */
export const DECISIONS = ['dismiss', 'hide', 'mute', 'suspend', 'lift', 'note'] as const
export type DecisionKind = (typeof DECISIONS)[number]

/** Decisions that restrict a fan until they are lifted or end. */
export const SANCTIONS = ['hide', 'mute', 'suspend'] as const satisfies DecisionKind[]
