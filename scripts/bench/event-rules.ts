/** The key and the rules of the event scenario. */
import { openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'
import { upsertRule } from '../../src/economy/rules/rule-kind.ts'
import { mintServerKey } from '../../src/identity/server-keys/key.ts'
import { createServerKey } from '../../src/identity/server-keys/keys.ts'

const RANDOM = new Uint8Array(32).fill(7)
export const SERVER_KEY = mintServerKey(RANDOM)
export const SOURCE = 'gates'

/** Points of each event. */
export const GRANTED = 1
/** Number of rules per type. One of them matches. */
const RULES_PER_TYPE = 20
/** `data.gate` of every event. */
const GATE = 7

export const typeOf = (nth: number) => `gate.scan-${nth}`
export const eventData = { gate: GATE, section: 'north' }

/** The id of the rule that grants for events of a type. */
export const ruleOf = (type: string) => `${type}-${GATE}`

/** Adds a server key, and one rule, or 20 for each of several types, of which one matches each event. No types: no rules. */
export async function prepareEvents(url: string, { types }: { types: number }): Promise<void> {
  const db = openDatabase(url, { ...realSources, randomBytes: () => RANDOM })
  const gates = types === 1 ? [GATE] : Array.from({ length: RULES_PER_TYPE }, (_, gate) => gate)
  await db.write(async tx => {
    await createServerKey(tx, { source: SOURCE, scopes: ['events:write'], expiresAt: null })
    for (let nth = 0; nth < types; nth++) {
      for (const gate of gates) {
        await upsertRule(tx, {
          id: `${typeOf(nth)}-${gate}`,
          name: `Gate ${gate}`,
          eventType: typeOf(nth),
          when: [{ path: '/gate', op: 'eq', value: gate }],
          points: { fixed: GRANTED },
        })
      }
    }
  })
  await db.close()
}
