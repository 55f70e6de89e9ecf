/** The fans of a seed in groups, and the rows of those who are not there yet. */
import type { Reader } from '../../db/index.ts'
import { walkFans } from '../../mock-idp/users/generate-fans.ts'
import { addLife, drawRecord, type LifeTerms, noRows, type Rows } from './life.ts'
import { stageOf } from './plan.ts'
import { readSeason } from './season.ts'
import { createSeedSources } from './sources.ts'
import { type Member, noneSkipped, readStandings, readTakenHandles, type Skipped } from './standings.ts'

export interface Cast extends LifeTerms {
  seed: number
  /** How many fans the provider has; about a third of them stay new to the application. */
  fans: number
}

interface Walk {
  /** The index of the first fan. */
  from: number
  /** How many fans are in a group, by how many are done. */
  sizeAt: (done: number) => number
}

/** Fans with their rows; `upTo` is how many of the provider's fans are done with them. */
export interface Group {
  rows: Rows
  upTo: number
  skipped: Skipped
}

/** Those who are not there yet, group by group. */
export async function* walkAbsent(
  reader: Reader,
  { seed, fans: count, provider }: Cast,
  { from, sizeAt }: Walk,
): AsyncGenerator<{ absent: Member[]; skipped: Skipped; upTo: number }> {
  const sourcesOf = createSeedSources(seed)
  let index = 0
  let members: Member[] = []
  for (const fan of walkFans({ seed, count })) {
    if (index >= from && stageOf(index) !== 'new') {
      members.push({ fan, index, id: drawRecord(fan, sourcesOf(index)).id })
    }
    index++
    if (members.length < sizeAt(index) && index < count) continue
    const standings = await readStandings(reader, provider.name, members)
    const skipped = noneSkipped()
    for (const standing of standings) if (standing !== 'absent') skipped[standing]++
    const absent = members.filter((_, at) => standings[at] === 'absent')
    members = []
    yield { absent, skipped, upTo: index }
  }
}

export async function* drawGroups(reader: Reader, cast: Cast, walk: Walk): AsyncGenerator<Group> {
  const season = await readSeason(reader)
  const sourcesOf = createSeedSources(cast.seed)
  for await (const { absent, ...group } of walkAbsent(reader, cast, walk)) {
    const handles = await readTakenHandles(reader, absent)
    const rows = noRows()
    for (const { fan, index } of absent) {
      const stage = stageOf(index)
      if (stage === 'new') continue
      const handleTaken = handles.has(fan.preferred_username)
      addLife(rows, fan, stage, { sources: sourcesOf(index), season, terms: cast, handleTaken })
    }
    yield { rows, ...group }
  }
}
