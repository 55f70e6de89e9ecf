/** What each part of the application is handed, and nothing else: a test hands over its own. */
import type { Logger } from 'pino'
import type { Database, Sources } from '../db/index.ts'
import type { Config } from './config.ts'
import type { IdentityProvider } from './identity/provider.ts'
import type { Cursors } from './pagination.ts'

export interface Deps extends Sources {
  config: Config
  db: Database
  log: Logger
  identity: IdentityProvider
  cursors: Cursors
}
