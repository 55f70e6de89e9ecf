/** What a draft names, as fans see it in a language: the preview of the draft draws it. */
import type { Reader } from '../../../../db/index.ts'
import { defaultOf, type Text } from '../../../club/catalogue/texts.ts'
import { competitionKind } from '../../../club/competitions/competition-kind.ts'
import { playerKind } from '../../../club/players/player-kind.ts'
import { listPlayersOf } from '../../../club/players/players.ts'
import { sponsorKind } from '../../../club/sponsors/sponsor-kind.ts'
import { teamKind } from '../../../club/teams/team-kind.ts'
import { readStatedCollectibles } from '../../../play/packs/packs.ts'
import type { Named, NamedQuery } from './schema.ts'

/** Fans see nothing of a sponsor who is switched off. What is not stored is left out. */
export async function readNamed(reader: Reader, query: NamedQuery): Promise<Named> {
  const { lang, playersOf } = query
  const inLanguage = (text: Text) => (typeof text === 'string' ? undefined : text[lang]) ?? defaultOf(text)
  const [teams, competitions, sponsors] = await Promise.all([
    teamKind.read(reader, listed(query.teams)),
    competitionKind.read(reader, listed(query.competitions)),
    sponsorKind.read(reader, listed(query.sponsors)),
  ])
  const collectibles = await readStatedCollectibles(reader, listed(query.collectibles))
  const squad = playersOf === undefined ? [] : await listPlayersOf(reader, playersOf)
  const players = await playerKind.read(
    reader,
    squad.map(({ id }) => id),
  )
  const named = <Entry extends { id: string; name: Text }>({ id, name }: Entry) => ({
    id,
    name: inLanguage(name),
  })
  const pictured = <Entry extends { id: string; name: Text; imageUrl?: string | null }>(entry: Entry) => ({
    ...named(entry),
    imageUrl: entry.imageUrl ?? null,
  })
  return {
    teams: teams.map(({ shortName, primaryColor, secondaryColor, crestUrl, ...team }) => ({
      ...named(team),
      shortName: inLanguage(shortName),
      primaryColor: primaryColor ?? null,
      secondaryColor: secondaryColor ?? null,
      crestUrl: crestUrl ?? null,
    })),
    competitions: competitions.map(named),
    sponsors: sponsors
      .filter(({ active }) => active)
      .map(sponsor => ({ ...pictured(sponsor), url: sponsor.url ?? null })),
    players: players.map(pictured),
    collectibles: collectibles.map(({ rarity, ...item }) => ({ ...pictured(item), rarity })),
  }
}

const listed = (ids = '') => ids.split(',').filter(id => id !== '')
