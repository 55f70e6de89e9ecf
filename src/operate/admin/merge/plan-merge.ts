/** Plans a merge by running it and rolling it back. */
import type { Database } from '../../../../db/index.ts'
import { rollBack } from '../roll-back.ts'
import { type MergeReport, type MergeRequest, mergeFans } from './merge-fans.ts'

/** @throws as `mergeFans` */
export const planMerge = (db: Pick<Database, 'write'>, request: MergeRequest): Promise<MergeReport> =>
  rollBack(db, tx => mergeFans(tx, request))
