/** Files that fans ask for. */
import { writeExports } from '../../../src/operate/admin/write-exports.ts'
import type { World } from '../../support/world.ts'

/** Writes what is due, as the background task does. `afterPart` is called after each part but the last one. */
export const writeFiles = (
  { deps }: World,
  { afterPart = async () => {}, stopping = (): boolean => false } = {},
) => writeExports({ ...deps, giveWay: afterPart }, stopping)
