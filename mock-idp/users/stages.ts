/** How far each fan of a seed gets in the API: `bun run seed` writes it, and the sign-in page shows it. */

const stages = [
  'new',
  'profile',
  'onboarded',
  'active',
  'new',
  'active',
  'claimed',
  'new',
  'collector',
  'redeemed',
] as const
export type Stage = (typeof stages)[number]

/** By the fan's number, from 0. fan-0001 is always new, so that a developer starts with the onboarding. */
export const stageOf = (index: number): Stage => stages[index % stages.length] ?? 'new'

export const stageNames: Record<Stage, string> = {
  new: 'new',
  profile: 'with a profile',
  onboarded: 'onboarded',
  active: 'with check-ins and predictions',
  claimed: 'with claimed rewards',
  collector: 'with packs',
  redeemed: 'with redeemed rewards',
}
