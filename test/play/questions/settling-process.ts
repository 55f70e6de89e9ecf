/** `bun settling-process.ts DATABASE_URL`: settles the votes that are due and ends. */
import { createLog } from '../../../src/core/log.ts'
import { realSources } from '../../../src/core/sources.ts'
import { settleQuestions } from '../../../src/play/questions/settle.ts'
import { openPatiently } from '../../support/patience.ts'

const db = openPatiently(process.argv[2] ?? '', realSources)
await settleQuestions({ ...realSources, db, log: createLog('error', undefined).log })
await db.close()
