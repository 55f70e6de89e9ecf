/** The kinds of catalogue entries by their names. */
export const KINDS = ['team', 'reward', 'pack', 'match', 'rule', 'quest', 'set', 'product'] as const
export type KindName = (typeof KINDS)[number]
