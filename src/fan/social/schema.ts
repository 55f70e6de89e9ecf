import { Team } from '../../club/teams/schema.ts'
import { Closed, Integer, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { ShownTiers } from '../../economy/points/schema.ts'
import { Locker } from '../../play/lockers/schema.ts'

export const FanPage = Closed(
  {
    handle: Type.String({ description: 'Unique among fans.' }),
    displayName: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
    avatarUrl: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
    favoriteTeam: Nullable(Team, {
      description: 'Null if there is none, or the fan does not show it to you.',
    }),
    rank: Nullable(Integer({ minimum: 1 }), {
      description: 'On the global leaderboard. Null if the fan is not on it, or does not show it to you.',
    }),
    points: Nullable(Integer({ minimum: 0 }), { description: 'Points earned; null as `rank`.' }),
    tier: ShownTiers('Of public accounts. Empty if hidden.'),
    locker: Nullable(Closed({ title: Locker.properties.title, theme: Locker.properties.theme }), {
      description:
        'What `GET /api/lockers/{handle}` has. Null if the fan has none, or does not show it to you.',
    }),
    following: Type.Boolean({ description: 'Whether you follow the fan.' }),
    followsYou: Type.Boolean({ description: 'Whether the fan follows you.' }),
    muted: Type.Boolean({ description: 'Whether you mute the fan. The fan is not notified.' }),
  },
  { title: 'FanPage', description: 'A fan as you see them.' },
)
