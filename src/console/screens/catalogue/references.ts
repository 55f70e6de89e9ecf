/** Members that name something else, by their names: see `ReferenceField`. */

/** Without `Id`, which members that name entries end with. */
const KINDS = {
  team: 'team',
  homeTeam: 'team',
  awayTeam: 'team',
  match: 'match',
  reward: 'reward',
  pack: 'pack',
  quest: 'quest',
  set: 'set',
  product: 'product',
  sponsor: 'sponsor',
} as const

/** The kind of entries that a member such as `rewardId` names, in an entry or an event. */
export const kindOfMember = (name: string) =>
  name.endsWith('Id') ? memberOf(KINDS, name.slice(0, -2)) : undefined

/** Members of entries that name others without `Id`. */
const WORDS = {
  segment: 'segment',
  fan: 'segment',
  account: 'account',
  membership: 'membership',
  quests: 'quest',
  team: 'team',
} as const

/** Members that name no entry, but what a field of their own lists. */
const LISTED = [
  'eventType',
  'referralCompletes',
  'per',
  'distinctBy',
  'collectibleId',
  'collectibleIds',
  'country',
  'countries',
  'notCountries',
  'shipsTo',
  'atLeast',
  'correct',
  'at',
] as const
export type ListedName = (typeof LISTED)[number]

export const isListed = (name: string): name is ListedName => LISTED.some(one => one === name)

export const kindOfReference = (name: string) => memberOf(WORDS, name) ?? kindOfMember(name)

/** Whether members of this name are chosen. */
export const isReference = (name: string): boolean => isListed(name) || kindOfReference(name) !== undefined

/** Guarantee of the cast: the name is checked to be a key. */
const memberOf = <Kinds extends object>(kinds: Kinds, name: string): Kinds[keyof Kinds] | undefined =>
  Object.hasOwn(kinds, name) ? kinds[name as keyof Kinds] : undefined
