/** `bun settling-process.ts DATABASE_URL`: settles what is due and ends. */
import { createLog } from '../../../src/core/log.ts'
import { realSources } from '../../../src/core/sources.ts'
import { settlePredictions } from '../../../src/play/predictions/settle.ts'
import { openPatiently } from '../../support/patience.ts'

const db = openPatiently(process.argv[2] ?? '', realSources)
const config = { predictionPoints: { outcome: 10, difference: 15, exact: 25 } }
await settlePredictions({ ...realSources, db, config, log: createLog('error', undefined).log })
await db.close()
