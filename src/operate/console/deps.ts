/** What the console is made of: the application's dependencies, as far as its areas use them. Areas add what they need. */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { PictureDeps } from '../../club/pictures/upload.ts'
import type { Cursors } from '../../core/pagination.ts'
import type { AppSources } from '../../core/sources.ts'
import type { Config } from '../../platform/config/config.ts'

export interface ConsoleDeps extends AppSources, PictureDeps {
  config: Config
  db: Database
  log: Logger
  cursors: Cursors
  lifecycle: { stopping: boolean }
}
