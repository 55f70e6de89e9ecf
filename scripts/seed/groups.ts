/** Groups the fans of a seed and computes the rows of missing fans. */

import type { Reader } from '../../db/index.ts'
import { walkFans } from '../../mock-idp/users/generate-fans.ts'
import { stageOf } from '../../mock-idp/users/stages.ts'
import type { RotatedKeys } from '../../src/core/encryption.ts'
import { createSandbox } from '../../src/play/purchases/gateways/sandbox.ts'
import { createAddressEncryption } from '../../src/play/shop/addresses.ts'
import { readCalendar } from './calendar.ts'
import { shopperNumberOf } from './demo-orders.ts'
import { addFanRows, drawRecord, type FanRowTerms } from './fan-rows.ts'
import type { Till } from './order-rows.ts'
import {
  noneSkipped,
  readRecordStates,
  readTakenHandles,
  type SeedFan,
  type Skipped,
} from './record-states.ts'
import { noRows, type Rows } from './rows.ts'
import { createSeedSources } from './sources.ts'
import { readSupply } from './supply.ts'

export interface SeedParameters extends FanRowTerms {
  seed: number
  /** Number of fans of the provider; about a third of them get no record. */
  fans: number
  /** Default: now. A catalogue that is seeded already keeps its instant. */
  instant?: Date
}

interface Grouping {
  /** The index of the first fan. */
  from: number
  /** The size of the next group, by the number of completed fans. */
  sizeAt: (done: number) => number
}

/** The rows of a group; `upTo` is the number of completed fans of the provider, this group included. */
export interface Group {
  rows: Rows
  upTo: number
  skipped: Skipped
}

/** Yields the fans without a record, in groups. */
export async function* groupMissingFans(
  reader: Reader,
  { seed, fans: count, provider, instant = reader.now() }: SeedParameters,
  { from, sizeAt }: Grouping,
): AsyncGenerator<{ absent: SeedFan[]; skipped: Skipped; upTo: number }> {
  const sourcesOf = createSeedSources(seed, await readCalendar(reader, instant))
  let index = 0
  let members: SeedFan[] = []
  for (const fan of walkFans({ seed, count })) {
    if (index >= from && stageOf(index) !== 'new') {
      members.push({ fan, index, id: drawRecord(fan, sourcesOf(index)).id })
    }
    index++
    if (members.length < sizeAt(index) && index < count) continue
    const states = await readRecordStates(reader, provider.name, members)
    const skipped = noneSkipped()
    for (const state of states) if (state !== 'absent') skipped[state]++
    const absent = members.filter((_, index) => states[index] === 'absent')
    members = []
    yield { absent, skipped, upTo: index }
  }
}

export async function* drawGroups(
  reader: Reader,
  parameters: SeedParameters,
  grouping: Grouping,
): AsyncGenerator<Group> {
  const supply = await readSupply(reader)
  const { seed, instant = reader.now() } = parameters
  const sourcesOf = createSeedSources(seed, await readCalendar(reader, instant))
  const till = createTill(parameters.nativeTokens)
  for await (const { absent, ...group } of groupMissingFans(reader, parameters, grouping)) {
    const handles = await readTakenHandles(reader, absent)
    const rows = noRows()
    for (const { fan, index } of absent) {
      const stage = stageOf(index)
      if (stage === 'new') continue
      const handleTaken = handles.has(fan.preferred_username)
      addFanRows(rows, fan, stage, {
        sources: sourcesOf(index),
        supply,
        terms: parameters,
        till,
        handleTaken,
        number: shopperNumberOf(index),
      })
    }
    yield { rows, ...group }
  }
}

/** Uses the keys of the server, so that the server can read the addresses and accepts the receipts. */
export const createTill = (nativeTokens: RotatedKeys): Till => ({
  addressEncryption: createAddressEncryption(nativeTokens),
  sandbox: createSandbox(nativeTokens.key.d ?? ''),
})
