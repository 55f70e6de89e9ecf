/** Counts what a seed would write, for `--dry-run`; writes nothing and creates no schema. */

import type { Reader } from '../../db/index.ts'
import { stageOf } from '../../mock-idp/users/stages.ts'
import { groupMissingFans, type SeedParameters } from './groups.ts'
import { addSkipped, noneSkipped } from './record-states.ts'
import { countMissing } from './seed-catalogue.ts'

const GROUP = 1_000

/** @param reader null if there is no database yet */
export async function previewSeed(
  reader: Reader | null,
  parameters: SeedParameters,
  onProgress?: (done: number, total: number) => void,
) {
  const skipped = noneSkipped()
  const { instant = new Date() } = parameters
  let fans = 0
  if (!reader) {
    for (let index = 0; index < parameters.fans; index++) if (stageOf(index) !== 'new') fans++
    return { ...(await countMissing(null, instant)), fans, skipped }
  }
  const missing = await countMissing(reader, instant)
  for await (const group of groupMissingFans(reader, parameters, { from: 0, sizeAt: () => GROUP })) {
    fans += group.absent.length
    addSkipped(skipped, group.skipped)
    onProgress?.(group.upTo, parameters.fans)
  }
  return { ...missing, fans, skipped }
}
