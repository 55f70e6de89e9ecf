/** What moderators decide. */
export const DECISIONS = ['dismiss', 'hide', 'mute', 'suspend', 'lift', 'note'] as const
export type DecisionKind = (typeof DECISIONS)[number]

/** Those that keep a fan from something until they are lifted or end. */
export const SANCTIONS = ['hide', 'mute', 'suspend'] as const satisfies DecisionKind[]
export type SanctionKind = (typeof SANCTIONS)[number]
