/** What a seed would write, for `--dry-run`: nothing is written, and no schema made. */
import type { Reader } from '../../db/index.ts'
import { type Cast, walkAbsent } from './groups.ts'
import { stageOf } from './plan.ts'
import { countMissing } from './seed-catalogue.ts'
import { addSkipped, noneSkipped } from './standings.ts'

const GROUP = 1_000

/** `reader` is null where there is no database yet. */
export async function previewSeed(
  reader: Reader | null,
  cast: Cast,
  onProgress?: (done: number, total: number) => void,
) {
  const skipped = noneSkipped()
  let fans = 0
  if (!reader) {
    for (let index = 0; index < cast.fans; index++) if (stageOf(index) !== 'new') fans++
    return { ...(await countMissing(null)), fans, skipped }
  }
  const missing = await countMissing(reader)
  for await (const group of walkAbsent(reader, cast, { from: 0, sizeAt: () => GROUP })) {
    fans += group.absent.length
    addSkipped(skipped, group.skipped)
    onProgress?.(group.upTo, cast.fans)
  }
  return { ...missing, fans, skipped }
}
