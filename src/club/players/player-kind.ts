/** Players as an importer states them. */
import type { Reader } from '../../../db/index.ts'
import { Closed, Integer, Slug } from '../../core/schemas.ts'
import type { EntryFault } from '../catalogue/entry.ts'
import { Active, EntrySlug, Maybe, PictureUrl } from '../catalogue/entry-schema.ts'
import type { WrittenBefore } from '../catalogue/kind.ts'
import { declarePlainKind } from '../catalogue/plain-kind.ts'
import { Text } from '../catalogue/texts.ts'
import { findTeamIds } from '../teams/teams.ts'

export const playerKind = declarePlainKind({
  kind: 'player',
  list: 'players',
  about: 'A player of a team. Fans can vote for players.',
  schema: Closed(
    {
      id: EntrySlug('Slug of the player.'),
      teamId: Maybe(Slug('A team of the catalogue.')),
      name: Text(100, 'As fans say it.'),
      number: Maybe(Integer({ minimum: 0, maximum: 999, description: 'On the shirt.' })),
      position: Maybe(Text(50, 'Like Goalkeeper.')),
      imageUrl: Maybe(PictureUrl('Portrait.')),
      active: Active,
    },
    { title: 'Player' },
  ),
  givesValue: false,
  table: ({ players }) => players,
  references: (reader, { teamId }, { isWritten }) => findUnknownTeam(reader, teamId, isWritten),
})

async function findUnknownTeam(
  reader: Reader,
  teamId: string | null | undefined,
  isWritten: WrittenBefore,
): Promise<EntryFault[]> {
  if (teamId == null || isWritten('teams', teamId)) return []
  const known = await findTeamIds(reader, [teamId])
  return known.has(teamId) ? [] : [{ pointer: '/teamId', message: 'must be a team of the catalogue' }]
}
