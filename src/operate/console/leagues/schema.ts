import {
  Closed,
  Id,
  IdReference,
  Instant,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { REASONS } from '../../../identity/sanctions/reasons.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { LeagueName } from '../../../play/leagues/schema.ts'

export const LeaguesQuery = Closed({
  ...PageQuery,
  text: Type.Optional(
    Type.String({ maxLength: 100, description: 'Part of the name, or the code.', examples: ['office'] }),
  ),
})
export const MembersQuery = Closed(PageQuery)
export const LeaguePath = Closed({ leagueId: IdReference('The league.') })

const fan = {
  id: Id('The fan.'),
  handle: Nullable(Type.String(), { description: 'Null: the fan has none.' }),
  displayName: Nullable(Type.String(), { description: 'As other fans see it; null without one.' }),
}

const league = {
  id: Id('The league.'),
  name: Type.String({ description: 'As its owner wrote it.' }),
  code: Type.String({ description: 'With this code fans join.', examples: ['7Q2M-X9KD'] }),
  scoring: OneOf(['points', 'predictions'], { description: 'What counts.' }),
  season: Nullable(Type.String(), { description: 'Season of the matches that count. Null: all.' }),
  from: OneOf(['join', 'start'], { description: 'Since when it counts.' }),
  locked: Type.Boolean({ description: 'Whether nobody can join.' }),
  members: Integer({ description: 'How many members it has.' }),
  owner: Closed(fan, { description: 'The member who wrote the name, and can change the league.' }),
  openReports: Integer({ description: 'Open reports, 50 at most.' }),
  nameHeldAt: Nullable(Type.String({ format: 'date-time' }), {
    description: 'Since when moderators hold the name. Null: its owner can change it.',
  }),
  createdAt: Instant('When it was created.'),
}

export const FoundLeagues = Closed(
  {
    leagues: Type.Array(Closed(league, { title: 'FoundLeague' }), { description: 'Newest first.' }),
    nextCursor: NextCursor,
  },
  { title: 'FoundLeagues' },
)

export const LeagueDetail = Closed(
  {
    ...league,
    caseId: Nullable(Id('The case of its open reports.'), { description: 'The case of its open reports.' }),
    reports: Type.Array(
      Closed({
        id: Id('The report.'),
        reason: OneOf(REASONS, { description: 'What is wrong with it.' }),
        note: Nullable(Type.String(), { description: 'What the reporter wrote.' }),
        isOpen: Type.Boolean({ description: 'Whether it waits for a decision.' }),
        createdAt: Instant('When it was filed.'),
      }),
      { description: 'The newest 50.' },
    ),
  },
  { title: 'LeagueDetail' },
)

export const LeagueMembers = Closed(
  {
    members: Type.Array(
      Closed({ ...fan, joinedAt: Instant('When the fan joined.') }, { title: 'ListedMember' }),
      { description: 'By when they joined.' },
    ),
    nextCursor: NextCursor,
  },
  { title: 'LeagueMembers' },
)

export const NewLeagueName = Closed(
  {
    name: LeagueName,
    held: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether the owner cannot change the name, until moderators release it with `false`.',
      }),
    ),
    reason: Reason,
  },
  { title: 'NewLeagueName' },
)
