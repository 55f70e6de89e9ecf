/**
 * Tags name what cached responses depend on. A unit of work invalidates the tags of what it changes: see `response-cache.ts`.
 * The tag of a kind of the catalogue is the name of its list.
 */

/** The public profile of a fan: name and picture. */
export const fanTag = (userId: string) => `fan ${userId}`

const TOKEN_VALIDITY = 'token-validity '

/** Whether the tokens of a subject are valid, the id of the subject's user record, and its locale. */
export const tokenValidityTag = ({ provider, subject }: { provider: string; subject: string }) =>
  `${TOKEN_VALIDITY}${provider} ${subject}`

/** These tags concern `Deps.tokenValidityCache` only; all others concern `Deps.cache` only. */
export const isTokenValidityTag = (tag: string) => tag.startsWith(TOKEN_VALIDITY)

/** The reward catalogue, stock included. */
export const rewardsTag = 'rewards'

/** The pack catalogue, remaining supply included. */
export const packsTag = 'packs'

/** The products of the shop, remaining stock included. */
export const productsTag = 'products'

export const questsTag = 'quests'
export const setsTag = 'sets'
export const matchesTag = 'matches'

/** The ranking on a board. */
export const boardTag = (board: string) => `board ${board}`
