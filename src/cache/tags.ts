/** What units of work touch and views depend on: see `view-cache.ts`. */

/** What fans see of this one: name and picture. */
export const fanTopic = (userId: string) => `fan ${userId}`

const STANDING = 'standing '

/** Whether this caller's tokens still count, and which record is theirs. */
export const standingTopic = ({ provider, subject }: { provider: string; subject: string }) =>
  `${STANDING}${provider} ${subject}`

/** Such a topic concerns `Deps.standings` alone, and no other does. */
export const isStandingTopic = (topic: string) => topic.startsWith(STANDING)

/** The catalogue of rewards: what there is, and whether there is some left. */
export const rewardsTopic = 'rewards'

/** The catalogue of packs: what there is, and how many are left. */
export const packsTopic = 'packs'

/** Who follows what: the clubs. */
export const teamsTopic = 'teams'

/** Places on a board. */
export const boardTopic = (board: string) => `board ${board}`
