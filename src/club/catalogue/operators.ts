/** How a condition compares, in the order in which forms offer it. */
export const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'exists'] as const
export type Operator = (typeof OPERATORS)[number]
