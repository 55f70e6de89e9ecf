import { Closed, IdReference, Nullable, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { playerKind } from './player-kind.ts'

const Player = Closed(
  {
    id: Slug('Slug of the player.'),
    teamId: Nullable(Type.String(), { description: 'Slug of the team.' }),
    name: Type.String({ description: 'For the fan to read.' }),
    number: Nullable(Type.Integer(), { description: 'On the shirt.' }),
    position: Nullable(Type.String(), { description: 'Like Goalkeeper.' }),
    imageUrl: Nullable(Type.String(), { description: 'Portrait: https URL, or a path of the API’s origin.' }),
  },
  { title: 'Player' },
)

const example = {
  id: 'ana-reis',
  teamId: 'harbour-athletic',
  name: 'Ana Reis',
  number: 9,
  position: 'Forward',
  imageUrl: '/pictures/ana-reis.svg',
}

export const playersRoutes = (deps: { publicReads: PublicReads }) =>
  publicReaders(deps, { prefix: '/api/players', tag: 'Players' }).get(
    '',
    ({ readPublic, query: { teamId } }) =>
      readPublic(async source => {
        const { players } = await playerKind.getActive(source)
        return { players: teamId === undefined ? players : players.filter(one => one.teamId === teamId) }
      }),
    operation({
      id: 'listPlayers',
      summary: 'List the players',
      description: 'The active players, by id; with `teamId` those of one team.',
      conditional: true,
      query: Closed({
        teamId: Type.Optional(IdReference('Only players of this team.', 'harbour-city')),
        ...LanguageQuery,
      }),
      responses: {
        200: Closed({ players: Type.Array(Player, { description: 'By id.' }) }, { title: 'Players' }),
      },
      examples: { 200: { players: [example] } },
    }),
  )
