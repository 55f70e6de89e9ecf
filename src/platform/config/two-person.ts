/** Kinds of actions that may need two people. `src/identity/staff/roles.ts` says which permissions these are. */
export const TWO_PERSON_GROUPS = ['money', 'erasure', 'campaigns'] as const
export type TwoPersonGroup = (typeof TWO_PERSON_GROUPS)[number]
