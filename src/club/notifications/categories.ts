/** The categories of messages. */
export const CATEGORIES = ['account', 'orders', 'rewards', 'match', 'social', 'marketing'] as const
export type Category = (typeof CATEGORIES)[number]

/** Needs the fan's consent: the purpose of the document, which has the name of the category. */
export const MARKETING = 'marketing' satisfies Category
