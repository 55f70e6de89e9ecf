/** Requests and responses of the catalogue editor. Instants of entries are as the entries state them. */
import { REVISION_SOURCES } from '../../../club/catalogue/history.ts'
import {
  Closed,
  IdReference,
  Instant,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { type Static, type TProperties, Type } from '../../../core/typebox.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { kindNames } from '../../../play/catalogue-file/kinds.ts'

const Kind = OneOf(kindNames, { description: 'Kind of the entries.' })

const State = OneOf(['live', 'scheduled', 'over', 'off'], {
  description: 'Off by its flag; otherwise by its start and end, which are the schedule of an entry.',
})

export type EntryState = Static<typeof State>

export const KindParams = Closed({ kind: Kind })
export const EntryParams = Closed({ kind: Kind, entryId: IdReference('Slug of the entry.', 'home-scarf') })
export const RevisionParams = Closed({
  ...EntryParams.properties,
  revision: Type.String({
    pattern: '^(0|[1-9][0-9]{0,15})$',
    description: 'Number of the revision.',
    examples: ['2'],
  }),
})

export const EntriesQuery = Closed({
  ...PageQuery,
  search: Type.Optional(Type.String({ maxLength: 200, description: 'In ids and texts of all languages.' })),
  state: Type.Optional(State),
  left: Type.Optional(
    OneOf(['none', 'few'], { description: 'Units that are left: none, or at most a tenth of the stock.' }),
  ),
  sort: Type.Optional(
    OneOf(['title', 'state', 'price', 'points', 'stock', 'left', 'claimed', 'sold', 'ends'], {
      description: 'By id by default. Entries without a value are last.',
    }),
  ),
  order: Type.Optional(OneOf(['asc', 'desc'], { description: 'Of `sort`; `asc` by default.' })),
})
export type EntriesQuery = Static<typeof EntriesQuery>

/** Checked against the schema of its kind by the verbs: operations with it are `open`. */
const EntryValue = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'The whole entry, as in a file of the catalogue. The schema of its kind comes with each entry.',
  },
)

const Revision = Nullable(Integer({ minimum: 0 }), {
  description: 'The revision that was read, 0 without a history. Null: the entry is new.',
})

export const Draft = Closed({ entry: EntryValue })
export const SaveEntry = Closed({ entry: EntryValue, revision: Revision, reason: Reason })
export const SwitchEntry = Closed({
  active: Type.Boolean({ description: 'Whether it is offered.' }),
  revision: Integer({ minimum: 0, description: 'The revision that was read, 0 without a history.' }),
  reason: Reason,
})
export const RestoreEntry = Closed({
  restore: Integer({ minimum: 0, description: 'The revision whose entry becomes the current one.' }),
  revision: Integer({ minimum: 0, description: 'The newest revision that was read.' }),
  reason: Reason,
})
export const PreviewDraft = Closed({
  entry: EntryValue,
  days: Integer({ minimum: 1, maximum: 90, description: 'Events of the last so many days.' }),
})

const Count = Integer({ minimum: 0 })
const shares = {
  events: Integer({ minimum: 0, description: 'That were read.' }),
  fans: Integer({ minimum: 0, description: 'Who would get something.' }),
  points: Count,
  isComplete: Type.Boolean({ description: 'False: there were too many events.' }),
  top: Type.Array(Type.Object({ userId: Type.String(), times: Count, points: Count })),
  distribution: Type.Array(Type.Object({ from: Count, fans: Count }), {
    description: 'Fans by points, in powers of ten.',
  }),
}
const linesOf = <Result extends TProperties>(result: Result) =>
  Type.Object(
    {
      progress: Type.Optional(Type.Object({ events: Count, share: Type.Number() })),
      result: Type.Optional(Type.Object({ ...shares, ...result })),
      failed: Type.Optional(Type.Literal(true)),
    },
    { contentMediaType: 'application/jsonl', description: 'One of these a line.' },
  )
export const RulePreview = linesOf({
  granted: Integer({ minimum: 0, description: 'Events that would have earned points.' }),
  grantedBefore: Integer({ minimum: 0, description: 'Points that the rule has granted for them.' }),
  refused: Type.Object({
    unmet: Count,
    no_points: Count,
    not_started: Count,
    ended: Count,
    segment: Count,
    limit: Count,
    budget: Count,
  }),
})
export const QuestPreview = linesOf({
  started: Integer({ minimum: 0, description: 'Fans who would have started it.' }),
  completions: Count,
  blocked: Integer({ minimum: 0, description: 'Full, without the required quests.' }),
})
const counted = (description: string) => Integer({ minimum: 0, description })

export const CampaignReport = Type.Object(
  {
    redeemed: counted('Redemptions until now, also of erased fans.'),
    total: Nullable(counted('The limit of all fans together. Null: none.')),
    left: Nullable(counted('Redemptions that the limit leaves. Null without a limit.')),
    fans: counted('Fans who have redeemed a code.'),
    times: Type.Array(Type.Object({ times: counted('Redemptions of a fan.'), fans: counted('Such fans.') }), {
      description: 'How many fans have redeemed how often.',
    }),
    generated: counted('Generated codes.'),
    unused: counted('Of these, those that nobody has redeemed.'),
    voided: counted('Of these, voided ones.'),
    days: Type.Array(
      Type.Object({
        day: Type.String({ description: 'In the time zone of the club.' }),
        redemptions: counted('Redemptions of that day.'),
        fans: counted('Fans of that day.'),
      }),
      { description: 'Days with redemptions, the oldest first.' },
    ),
  },
  { title: 'CampaignReport' },
)

export const NamedEntryParams = Closed({ entryId: IdReference('Slug of the entry.', 'home-scarf') })
export const ExportSegment = Closed({ reason: Reason }, { title: 'ExportSegment' })
export const SegmentCsv = Type.String({
  contentMediaType: 'text/csv',
  description: 'The id of each fan, the provider, the subject there, and the handle.',
})

export const SegmentPreview = Type.Object({
  fans: Integer({ minimum: 0, description: 'Fans who meet all conditions now.' }),
  sample: Nullable(
    Type.Array(
      Type.Object({
        id: Type.String({ description: 'The fan.' }),
        displayName: Nullable(Type.String()),
        handle: Nullable(Type.String()),
      }),
    ),
    { description: 'Some of them. Null for people who may not read fans.' },
  ),
  uses: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'The kind of an active entry that names the segment.' }),
      id: Type.String({ description: 'Its id.' }),
      pointer: OneOf(['/fan', '/requires/segment'], { description: 'Where it does.' }),
    }),
  ),
})
export interface PreviewLine extends Omit<Static<typeof RulePreview>, 'result'> {
  result?: (Static<typeof RulePreview> | Static<typeof QuestPreview>)['result']
}

export const HistoryQuery = Closed(PageQuery)

export const CompareQuery = Closed({
  with: Type.Optional(
    Type.String({
      pattern: '^(0|[1-9][0-9]{0,15})$',
      description: 'An older revision. Default: the previous one.',
      examples: ['1'],
    }),
  ),
})

export const Change = Type.Object(
  {
    member: Type.String({ description: 'Member of the entry, with a part after a slash.' }),
    from: Type.Optional(Type.Unknown()),
    to: Type.Optional(Type.Unknown()),
  },
  { title: 'CatalogueChange' },
)

export const Kinds = Type.Object({
  kinds: Type.Array(
    Type.Object({
      kind: Kind,
      list: Type.String({ description: 'Of a catalogue file, and of the API.' }),
      only: Nullable(Type.String(), { description: 'Id of the only entry, which always exists.' }),
      about: Type.String({ description: 'What an entry is.' }),
      givesValue: Type.Boolean({ description: 'Whether entries give points, cash or goods.' }),
      columns: Type.Array(OneOf(['picture', 'price', 'points', 'stock', 'claimed', 'sold', 'ends']), {
        description: 'What entries of the kind have.',
      }),
      entries: Type.Integer(),
      active: Type.Integer(),
    }),
  ),
})

const row = {
  id: Type.String(),
  title: Type.String({ description: 'In the default language.' }),
  state: State,
  startsAt: Nullable(Type.String()),
  endsAt: Nullable(Type.String()),
  pictures: Type.Array(Type.String(), {
    description: 'The first picture of the entry, or the crests of both teams of a match.',
  }),
  price: Nullable(Type.Object({ amount: Type.Integer(), currency: Type.String() })),
  points: Nullable(Type.Integer(), { description: 'That it requires, or gives.' }),
  stock: Nullable(Type.Integer(), {
    description: 'All units, taken ones included. Null: no limit, or no units.',
  }),
  claimed: Nullable(Type.Integer(), { description: 'Units. Null: fans do not claim entries of the kind.' }),
  sold: Nullable(Type.Integer(), { description: 'Units. Null: entries of the kind are not sold.' }),
  missing: Type.Array(Type.Object({ language: Type.String(), texts: Type.Integer({ minimum: 1 }) }), {
    description: 'Languages of the catalogue in which texts of the entry are missing.',
  }),
}

export const ListedEntry = Type.Object(row)

export const Entries = Type.Object({ entries: Type.Array(ListedEntry), nextCursor: NextCursor })

/** What a form needs in addition to the schema. */
const forForms = {
  languages: Type.Array(Type.String(), {
    description: 'Of the texts of the catalogue: the default one first, then the most used.',
  }),
  suggestions: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'By member, words that entries of the kind already use.',
  }),
  collectibles: Type.Array(Type.Object({ id: Type.String(), title: Type.String() }), {
    description: 'Those of all packs, in the default language. Empty if there are more than 1,000.',
  }),
}

export const ShownEntry = Type.Object({
  ...row,
  kind: Kind,
  revision: Type.Integer(),
  entry: Type.Record(Type.String(), Type.Unknown()),
  schema: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the entry.' }),
  overridden: Type.Array(
    Type.Object({
      member: Type.String(),
      by: Type.String({ description: 'Variable of the environment.' }),
      value: Type.Unknown(),
    }),
    { description: 'Members of the entry whose variables are set: these values are in force.' },
  ),
  ...forForms,
})

export const EntrySchema = Type.Object({ schema: Type.Record(Type.String(), Type.Unknown()), ...forForms })

const Outcome = OneOf(['created', 'changed', 'unchanged'])

export const Plan = Type.Object({
  outcome: Outcome,
  revision: Type.Integer({ description: 'The newest revision; 0 for a new entry.' }),
  changes: Type.Array(Change),
})

export const Saved = Type.Object({ outcome: Outcome, revision: Type.Integer() })

const revision = {
  revision: Type.Integer(),
  source: OneOf(REVISION_SOURCES, { description: '`before`: the state before the first known change.' }),
  staffId: Nullable(Type.String()),
  staffName: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  createdAt: Instant('When.'),
}

export const History = Type.Object({ revisions: Type.Array(Type.Object(revision)), nextCursor: NextCursor })

export const Compared = Type.Object({
  ...revision,
  entry: Type.Record(Type.String(), Type.Unknown()),
  with: Nullable(Type.Integer(), { description: 'The older revision; null if there is none.' }),
  changes: Type.Array(Change),
})

export const EventTypes = Closed(
  {
    types: Type.Array(
      Closed({
        type: Type.String(),
        title: Type.String({ description: 'In words.' }),
        isOwn: Type.Boolean({
          description: 'Whether Matchday records it. Others were seen among recent events.',
        }),
        members: Type.Array(
          Closed({
            path: Type.String({ description: 'JSON pointer into the data.' }),
            title: Type.String({ description: 'In words.' }),
            kind: OneOf(['text', 'number', 'flag', 'other']),
            values: Type.Array(Type.String(), { description: 'The only values; empty: any.' }),
          }),
        ),
      }),
    ),
  },
  { title: 'EventTypes' },
)

const Ids = (of: string) =>
  Type.Optional(
    Type.String({
      maxLength: 20_000,
      pattern: '^[a-z0-9._,-]*$',
      description: `Slugs of ${of}, separated by commas.`,
      examples: ['harbour-city'],
    }),
  )

export const NamedQuery = Closed({
  lang: Type.String({ minLength: 2, maxLength: 35, description: 'Language tag.', examples: ['pt-BR'] }),
  teams: Ids('teams'),
  competitions: Ids('competitions'),
  sponsors: Ids('sponsors'),
  collectibles: Ids('collectibles'),
  playersOf: Type.Optional(IdReference('The team whose active players are read.', 'harbour-city')),
})
export type NamedQuery = Static<typeof NamedQuery>

const named = {
  id: Type.String(),
  name: Type.String({ description: 'In the language, or the default one.' }),
}
const pictured = { ...named, imageUrl: Nullable(Type.String()) }

export const Named = Closed(
  {
    teams: Type.Array(
      Closed({
        ...named,
        shortName: Type.String(),
        primaryColor: Nullable(Type.String()),
        secondaryColor: Nullable(Type.String()),
        crestUrl: Nullable(Type.String()),
      }),
    ),
    competitions: Type.Array(Closed(named)),
    sponsors: Type.Array(Closed({ ...pictured, url: Nullable(Type.String()) }), {
      description: 'Active ones.',
    }),
    players: Type.Array(Closed(pictured)),
    collectibles: Type.Array(Closed({ ...pictured, rarity: Type.String() })),
  },
  { title: 'Named' },
)
export type Named = Static<typeof Named>
