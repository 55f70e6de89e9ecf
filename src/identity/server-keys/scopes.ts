/** What a server key may do. An operation requires one scope. */

interface Scope {
  /** For operators. */
  meaning: string
  /**
   * What a key with this scope can create. In the console such a key belongs to the group `money` of
   * CONSOLE_TWO_PERSON.
   */
  creates: readonly ('points' | 'cash' | 'goods')[]
}

export const SERVER_SCOPES = {
  // Rules pay for events, quests give points, rewards and collectibles for them, and results settle predictions.
  'events:write': { meaning: 'report events of fans, and void them', creates: ['points', 'goods'] },
  'points:write': { meaning: 'grant and take points', creates: ['points'] },
  'cash:write': { meaning: 'give cash as a promotion', creates: ['cash'] },
  'redemptions:read': { meaning: 'look up redemption codes', creates: [] },
  'redemptions:write': { meaning: 'use redemption codes', creates: [] },
  'matches:write': { meaning: 'change matches, and read their check-in codes', creates: ['points'] },
  'questions:write': { meaning: 'write questions, with their answers', creates: ['points'] },
  // A returned line only puts its units back into the stock.
  'orders:write': { meaning: 'report orders', creates: [] },
  'memberships:write': { meaning: 'write and end memberships of fans', creates: [] },
  'age:write': { meaning: 'state age bands of fans, and the consent of guardians', creates: [] },
  'priority:read': { meaning: 'list fans by their totals in accounts', creates: [] },
  'uploads:write': { meaning: 'upload pictures of the catalogue', creates: [] },
  'fans:read': { meaning: 'read data of fans', creates: [] },
} as const satisfies Record<string, Scope>

export type ServerScope = keyof typeof SERVER_SCOPES

export const isServerScope = (text: string): text is ServerScope => Object.hasOwn(SERVER_SCOPES, text)

export const createsValue = (scope: ServerScope): boolean => SERVER_SCOPES[scope].creates.length > 0
