/** What a server key may do. An operation requires one scope. */

/** Each scope with its meaning, for operators. */
export const SERVER_SCOPES = {
  'events:write': 'report events of fans, and void them',
  'points:write': 'grant and take points',
  'cash:write': 'give cash as a promotion',
  'redemptions:read': 'look up redemption codes',
  'redemptions:write': 'use redemption codes',
  'matches:write': 'change matches, and read their check-in codes',
  'orders:write': 'report orders',
  'uploads:write': 'upload pictures of the catalogue',
  'fans:read': 'read data of fans',
} as const

export type ServerScope = keyof typeof SERVER_SCOPES

export const isServerScope = (text: string): text is ServerScope => Object.hasOwn(SERVER_SCOPES, text)
