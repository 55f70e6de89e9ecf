/** Tags that units of work invalidate and cached responses carry: see `response-cache.ts`. */

/** What fans see of this one: name and picture. */
export const fanTag = (userId: string) => `fan ${userId}`

const STANDING = 'standing '

/** Whether this caller's tokens still count, and which record is theirs. */
export const tokenValidityTag = ({ provider, subject }: { provider: string; subject: string }) =>
  `${STANDING}${provider} ${subject}`

/** Such a tag concerns `Deps.standings` alone, and no other does. */
export const isTokenValidityTag = (tag: string) => tag.startsWith(STANDING)

/** The catalogue of rewards: what there is, and whether there is some left. */
export const rewardsTag = 'rewards'

/** The catalogue of packs: what there is, and how many are left. */
export const packsTag = 'packs'

/** Who follows what: the clubs. */
export const teamsTag = 'teams'

/** Places on a board. */
export const boardTag = (board: string) => `board ${board}`
