/** What a server key may do. An operation requires one scope. */

interface Scope {
  /** For operators. */
  meaning: string
  /** What a key with this scope can bring into being. In the console such a key is of the group `money` of CONSOLE_TWO_PERSON. */
  creates: 'points' | 'cash' | 'goods' | null
}

export const SERVER_SCOPES = {
  // Rules and quests pay for events, and results settle predictions.
  'events:write': { meaning: 'report events of fans, and void them', creates: 'points' },
  'points:write': { meaning: 'grant and take points', creates: 'points' },
  'cash:write': { meaning: 'give cash as a promotion', creates: 'cash' },
  'redemptions:read': { meaning: 'look up redemption codes', creates: null },
  'redemptions:write': { meaning: 'use redemption codes', creates: null },
  'matches:write': { meaning: 'change matches, and read their check-in codes', creates: 'points' },
  'orders:write': { meaning: 'report orders', creates: null },
  'uploads:write': { meaning: 'upload pictures of the catalogue', creates: null },
  'fans:read': { meaning: 'read data of fans', creates: null },
} as const satisfies Record<string, Scope>

export type ServerScope = keyof typeof SERVER_SCOPES

export const isServerScope = (text: string): text is ServerScope => Object.hasOwn(SERVER_SCOPES, text)

export const createsValue = (scope: ServerScope): boolean => SERVER_SCOPES[scope].creates !== null
