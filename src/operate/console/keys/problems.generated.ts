/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { keyProblems } from './problems.ts'

export const thrownBy = {
  createServerKey: [keyProblems.server_key_exists],
  rotateServerKey: [keyProblems.server_key_not_found],
  revokeServerKeys: [keyProblems.server_key_not_found],
} as const
