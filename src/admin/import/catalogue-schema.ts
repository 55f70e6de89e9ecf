/** The file of a catalogue: one JSON document, or one entry a line with its `kind` (NDJSON). */
import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import { Closed } from '../../core/schemas.ts'
import { PackEntry } from '../../packs/entry-schema.ts'
import { RewardEntry } from '../../rewards/entry-schema.ts'
import { TeamEntry } from '../../teams/entry-schema.ts'

/** A kind that is left out is left alone. */
export const Catalogue = Closed(
  {
    $schema: Type.Optional(Type.String({ description: 'For editors.' })),
    teams: Type.Optional(Type.Array(TeamEntry)),
    rewards: Type.Optional(Type.Array(RewardEntry)),
    packs: Type.Optional(Type.Array(PackEntry)),
  },
  { title: 'Catalogue', description: 'What `bun run import-catalog` takes.' },
)

const line = <P extends TProperties>(kind: string, { properties }: TObject<P>) =>
  Closed({ kind: Type.Literal(kind), ...properties })

/** A line of NDJSON, by its `kind`. */
export const catalogueLines = {
  team: line('team', TeamEntry),
  reward: line('reward', RewardEntry),
  pack: line('pack', PackEntry),
}
