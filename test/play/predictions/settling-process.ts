/** `bun settling-process.ts DATABASE_URL`: settles what is due and ends. */
import { createLog } from '../../../src/core/log.ts'
import { realSources } from '../../../src/core/sources.ts'
import { settlePredictions } from '../../../src/play/predictions/settle.ts'
import { openPatiently } from '../../support/patience.ts'

const db = openPatiently(process.argv[2] ?? '', realSources)
await settlePredictions({ ...realSources, db, log: createLog('error', undefined).log })
await db.close()
