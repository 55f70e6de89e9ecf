/** What the operations of server keys answer. */
import type { ServerKeys } from '../../../operate/console/keys/schema.ts'

export type KeysData = typeof ServerKeys.static
export type KeyData = KeysData['keys'][number]
export type ScopeData = KeysData['scopes'][number]
