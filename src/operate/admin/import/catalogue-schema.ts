/** The file of a catalogue: one JSON document, or one entry with its `kind` per line (NDJSON). */

import { MatchEntry } from '../../../club/matches/entry-schema.ts'
import { TeamEntry } from '../../../club/teams/entry-schema.ts'
import { Closed } from '../../../core/schemas.ts'
import { type TObject, Type } from '../../../core/typebox.ts'
import { RuleEntry } from '../../../economy/rules/entry-schema.ts'
import { PackEntry } from '../../../play/packs/entry-schema.ts'
import { QuestEntry } from '../../../play/quests/entry-schema.ts'
import { RewardEntry } from '../../../play/rewards/entry-schema.ts'
import { SetEntry } from '../../../play/sets/entry-schema.ts'
import { ProductEntry } from '../../../play/shop/entry-schema.ts'

/** Records of a kind that the file omits do not change. */
export const Catalogue = Closed(
  {
    $schema: Type.Optional(Type.String({ description: 'For editors.' })),
    teams: Type.Optional(Type.Array(TeamEntry)),
    rewards: Type.Optional(Type.Array(RewardEntry)),
    packs: Type.Optional(Type.Array(PackEntry)),
    matches: Type.Optional(Type.Array(MatchEntry)),
    rules: Type.Optional(Type.Array(RuleEntry)),
    quests: Type.Optional(Type.Array(QuestEntry)),
    sets: Type.Optional(Type.Array(SetEntry)),
    products: Type.Optional(Type.Array(ProductEntry)),
  },
  { title: 'Catalogue', description: 'The input of `bun run import-catalog`.' },
)

/** The schema of an entry, by its kind. */
export const entrySchemas = {
  team: TeamEntry,
  reward: RewardEntry,
  pack: PackEntry,
  match: MatchEntry,
  rule: RuleEntry,
  quest: QuestEntry,
  set: SetEntry,
  product: ProductEntry,
}

/** The kind of the records of each list. */
export const CATALOGUE_LISTS = {
  teams: 'team',
  rewards: 'reward',
  packs: 'pack',
  matches: 'match',
  rules: 'rule',
  quests: 'quest',
  sets: 'set',
  products: 'product',
} as const

const line = (kind: string, { properties }: TObject) => Closed({ kind: Type.Literal(kind), ...properties })

/** A line for entries that have a `kind` of their own, and for any other. */
const wrapped = (kind: string, entry: TObject) => Closed({ kind: Type.Literal(kind), entry })

/** A line of NDJSON with the members of the entry, by its `kind`. */
export const catalogueLines = {
  team: line('team', TeamEntry),
  reward: line('reward', RewardEntry),
  pack: line('pack', PackEntry),
  match: line('match', MatchEntry),
  rule: line('rule', RuleEntry),
  set: line('set', SetEntry),
}

/** A line of NDJSON with the entry as a member. */
export const wrappedLines = {
  team: wrapped('team', TeamEntry),
  reward: wrapped('reward', RewardEntry),
  pack: wrapped('pack', PackEntry),
  match: wrapped('match', MatchEntry),
  rule: wrapped('rule', RuleEntry),
  quest: wrapped('quest', QuestEntry),
  set: wrapped('set', SetEntry),
  product: wrapped('product', ProductEntry),
}
